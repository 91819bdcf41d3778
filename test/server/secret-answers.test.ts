import { afterAll, beforeAll, expect, test } from 'vitest'
import { apiCheckBody } from '../support/api-checks.ts'
import { bareChecks } from '../support/check-bodies.ts'
import { describedOperations } from '../support/described-operations.ts'
import { fillTemplate, urlTemplateOf } from '../support/ids-of-paths.ts'
import { clientCertificateBody, encryptedKey, passphrase } from '../support/key-pairs.ts'
import { logLines } from '../support/log-lines.ts'
import { type Ids, oneOfEverything } from '../support/one-of-everything.ts'
import { tracesOf } from '../support/secret-traces.ts'
import { allRows } from '../support/table-rows.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const secretOf = (what: string) => `tell-nobody/${what}+q7`
const secrets: string[] = [passphrase]
const secret = (what: string): string => {
  const text = secretOf(what)
  secrets.push(text)
  return text
}
const variable = (what: string) => ({ key: 'S', value: secret(what), secret: true })

const { logger, lines } = logLines()
const answers: [string, string][] = []
let service: TestService
let ids: Ids

async function ask(method: 'GET' | 'POST' | 'PUT', url: string, body?: object) {
  const answer = await service.api(method, url, body)
  answers.push([`${method} ${url}`, answer.body])
  return answer
}

/** Bodies with a secret in each place that one may be in, by what they are sent to. */
const bodies = (): [string, object][] => [
  ['/v1/variables', { ...variable('account'), key: 'SECRET' }],
  [
    '/v1/checks/api',
    apiCheckBody({ environmentVariables: [variable('api')], groupId: Number(ids['group']) }),
  ],
  ['/v1/checks/browser', { ...bareChecks.BROWSER, environmentVariables: [variable('browser')] }],
  ['/v1/checks/heartbeat', { ...bareChecks.HEARTBEAT, environmentVariables: [variable('heartbeat')] }],
  [
    '/v1/checks',
    { ...bareChecks.PLAYWRIGHT, checkType: 'PLAYWRIGHT', environmentVariables: [variable('suite')] },
  ],
  ['/v2/check-groups', { name: 'g', environmentVariables: [variable('group')] }],
  ['/v1/check-groups', { name: 'g', environmentVariables: [variable('group of v1')] }],
  [
    '/v1/alert-channels',
    {
      type: 'WEBHOOK',
      config: { url: 'https://hook.example', webhookSecret: secret('webhook') },
      autoSubscribe: true,
    },
  ],
  [
    '/v1/alert-channels',
    { type: 'PAGERDUTY', config: { serviceKey: secret('pagerduty') }, autoSubscribe: true },
  ],
  ['/v1/alert-channels', { type: 'OPSGENIE', config: { apiKey: secret('opsgenie') }, autoSubscribe: true }],
  [
    '/v1/private-locations',
    {
      name: 'p',
      slugName: 'p',
      proxyUrl: `http://user:${encodeURIComponent(secret('proxy'))}@proxy.example:3128`,
    },
  ],
  ['/v1/client-certificates', clientCertificateBody({ key: encryptedKey('pkcs8'), passphrase })],
  [
    '/v1/test-sessions/trigger',
    {
      name: 't',
      runLocation: 'eu-west-1',
      target: { checkId: [ids['check']] },
      environmentVariables: [variable('test session')],
    },
  ],
]

beforeAll(async () => {
  service = await startTestService({ publicOrigin: 'https://picket.example', logger })
  ids = await oneOfEverything(service)
  for (const [url, body] of bodies()) {
    const created = await ask('POST', url, body)
    expect([url, created.statusCode, created.body]).toEqual([url, 201, created.body])
    // One that is refused has its say on what was wrong with it.
    await ask('POST', url, { ...body, name: 7, tags: 'x', host: null, config: { url: 1 }, locations: ['x'] })
    const { id = ids['none'], key = 'SECRET' } = created.json()
    await ask('GET', `${url}/${url === '/v1/variables' ? key : id}`)
    await ask('PUT', `${url}/${url === '/v1/variables' ? key : id}`, { ...body, script: '' })
  }
}, 60_000)
afterAll(() => service.close())

test('no answer tells a secret that the service was given', async () => {
  for (const operation of await describedOperations(service.app)) {
    if (operation.method !== 'GET') continue
    const url = fillTemplate(urlTemplateOf(operation) ?? operation.path, (name) => ids[name] ?? name)
    await ask('GET', url)
    await ask('GET', `${url}${url.includes('?') ? '&' : '?'}limit=100&applyGroupSettings=true`)
  }
  const told = answers.flatMap(([what, text]) =>
    secrets.flatMap((one) => tracesOf(one, text).map((how) => `${what} tells ${one} ${how}`)),
  )
  expect(told).toEqual([])
  const sealed = service.sealer.seal('', []).slice(0, 3)
  expect(answers.filter(([, text]) => text.includes(`"${sealed}`))).toEqual([])
  expect(answers.length).toBeGreaterThan(150)
}, 60_000)

test('no line of the log and no row has one of them', async () => {
  const stored = JSON.stringify(await allRows(service.database))
  const logged = JSON.stringify(lines)
  const told = secrets.flatMap((one) =>
    [...tracesOf(one, stored), ...tracesOf(one, logged)].map((how) => `${one} ${how}`),
  )
  expect(told).toEqual([])
})

test('no answer but that to its creation has a key', async () => {
  const place = await service.api('POST', '/v1/private-locations', { name: 'k', slugName: 'keyed' })
  const { rawKey } = (await service.api('POST', `/v1/private-locations/${place.json().id}/keys`)).json()
  const board = await service.api('POST', '/v1/dashboards', { customUrl: 'keyed', isPrivate: true })
  const page = await service.api('POST', '/v1/status-pages', {
    name: 'k',
    url: 'keyed',
    cards: [],
    isPrivate: true,
  })
  const keys: string[] = [rawKey, board.json().keys[0].rawKey, page.json().keys[0].rawKey]
  const read = [
    await service.api('GET', '/v1/private-locations'),
    await service.api('GET', `/v1/dashboards/${board.json().dashboardId}`),
    await service.api('PUT', `/v1/dashboards/${board.json().dashboardId}`, board.json()),
    await service.api('GET', '/v1/dashboards?limit=100'),
    await service.api('GET', `/v1/status-pages/${page.json().id}`),
    await service.api('PUT', `/v1/status-pages/${page.json().id}`, page.json()),
    await service.api('GET', '/v1/status-pages?limit=100'),
  ]
  expect(read.map(({ statusCode }) => statusCode)).toEqual(read.map(() => 200))
  const text = `${read.map(({ body }) => body).join()}${JSON.stringify(await allRows(service.database))}`
  for (const key of keys) expect([key.length > 20, tracesOf(key, text)]).toEqual([true, []])
})
