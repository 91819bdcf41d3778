import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { agentCapabilities, agentId } from '../support/agent-messages.ts'
import { apiCheckBody } from '../support/api-checks.ts'
import { clientCertificateBody, keyPair } from '../support/key-pairs.ts'
import { embeddedKey, startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
beforeEach(async () => {
  service = await startTestService()
})
afterEach(() => service.close())

/** PostgreSQL refuses it in a text; SQLite would take it. */
const nul = '\u0000'
const report = { message: 'm', stack: 's', agentVersion: '1', platform: 'p', runtimeVersion: 'v' }
const claim = { agentId, capabilities: agentCapabilities, slots: 1, waitMs: 0 }

const pkcs8 = (hex: string) =>
  keyPair.key.replace(/(-----\n)[^-]+/, `$1${Buffer.from(hex, 'hex').toString('base64')}\n`)

/** Sequences in sequences, in DER. */
const nested = (depth: number) =>
  Array.from({ length: depth }).reduce<string>(
    (inner) => `3082${(inner.length / 2).toString(16).padStart(4, '0')}${inner}`,
    '',
  )

describe('the character U+0000 is refused with 400 and its field, on both engines alike', () => {
  const id = '00000000-0000-4000-8000-000000000000'

  test.each([
    ['/v1/checks/%00', 'id'],
    ['/v1/checks?tag=%00', 'tag[0]'],
    ['/v1/checks?search=%00', 'search'],
    ['/v1/checks?apiCheckUrlFilterPattern=%00', 'apiCheckUrlFilterPattern'],
    ['/v1/check-statuses/%00', 'checkId'],
    ['/v1/check-results/%00', 'checkId'],
    [`/v1/check-results/${id}/%00`, 'checkResultId'],
    [`/v1/check-results/${id}?location=%00`, 'location'],
    [`/v2/check-results/${id}?location=%00`, 'location'],
    ['/v1/private-locations/%00', 'id'],
    ['/v1/private-locations/%00/metrics?from=1&to=2', 'id'],
    ['/v1/variables/%00', 'key'],
    ['/v1/client-certificates/%00', 'id'],
  ])('in %s', async (url, field) => {
    const answer = await service.api('GET', url)
    expect([answer.statusCode, answer.json().validation?.keys]).toEqual([400, [field]])
    expect(answer.json().message).toContain('must not contain the character U+0000')
  })

  test.each(['\ud800', 'a\udc00b', '\udc00\ud800'])(
    'so is half of a surrogate pair, which neither engine can store: %j',
    async (half) => {
      for (const [url, payload, field] of [
        ['/v1/checks/api', apiCheckBody({ name: half }), 'name'],
        ['/v1/checks/api', apiCheckBody({ tags: [half] }), 'tags[0]'],
        ['/v1/variables', { key: 'K', value: half }, 'value'],
        ['/v1/private-locations', { name: half, slugName: 'a' }, 'name'],
        ['/v1/status-pages', { name: 'a', url: half, cards: [] }, 'url'],
      ] as const) {
        const answer = await service.api('POST', url, payload)
        expect([answer.statusCode, answer.json().validation?.keys]).toEqual([400, [field]])
      }
    },
  )

  test('a whole pair is a character, and what is only a part of JSON comes back whatever it is', async () => {
    const created = await service.api('POST', '/v1/checks/api', {
      ...apiCheckBody({ name: '😀', tags: ['a😀'] }),
      description: 'half \ud800 and nul \u0000',
    })
    expect(created.statusCode, created.body).toBe(201)
    const read = (await service.api('GET', `/v1/checks/${created.json().id}`)).json()
    expect(read).toMatchObject({ name: '😀', tags: ['a😀'], description: 'half \ud800 and nul \u0000' })
  })

  test.each([
    ['/v1/checks/api', apiCheckBody({ name: nul }), 'name'],
    ['/v1/checks/api', apiCheckBody({ tags: [nul] }), 'tags[0]'],
    ['/v1/checks/api', apiCheckBody({ request: { url: `http://a/${nul}` } }), 'request.url'],
    ['/v1/private-locations', { name: nul, slugName: 'a' }, 'name'],
    ['/v1/private-locations', { name: 'a', slugName: 'a', icon: nul }, 'icon'],
    ['/v1/private-locations', { name: 'a', slugName: 'a', proxyUrl: `http://a/${nul}` }, 'proxyUrl'],
    ['/v1/checks/api', apiCheckBody({ environmentVariables: [{ key: nul }] }), 'environmentVariables[0].key'],
    ['/v1/variables', { key: nul, value: 'v' }, 'key'],
    ['/v1/variables', { key: 'K', value: nul }, 'value'],
    ['/v1/client-certificates', clientCertificateBody({ host: nul }), 'host'],
    ['/v1/client-certificates', clientCertificateBody({ cert: nul }), 'cert'],
    ['/v1/client-certificates', clientCertificateBody({ key: nul }), 'key'],
    ['/v1/client-certificates', clientCertificateBody({ passphrase: nul }), 'passphrase'],
    ['/v1/client-certificates', clientCertificateBody({ ca: nul }), 'ca'],
  ])('in the body of POST %s %#', async (url, payload, field) => {
    const answer = await service.api('POST', url, payload)
    expect([answer.statusCode, answer.json().validation?.keys]).toEqual([400, [field]])
  })

  test.each([
    ['claims', { ...claim, capabilities: { ...agentCapabilities, version: nul } }, 'capabilities.version'],
    ['claims', { ...claim, capabilities: { ...agentCapabilities, platform: nul } }, 'capabilities.platform'],
    [
      'claims',
      { ...claim, capabilities: { ...agentCapabilities, runtimeVersion: nul } },
      'capabilities.runtimeVersion',
    ],
    ['error-reports', { ...report, message: nul }, 'message'],
    ['error-reports', { ...report, stack: nul }, 'stack'],
  ])('in the agent’s message to %s %#', async (path, payload, field) => {
    const answer = await service.agent(path, payload)
    expect([answer.statusCode, answer.json().validation?.keys]).toEqual([400, [field]])
  })
})

describe('a body', () => {
  test('with prototype keys has them ignored like any unknown key', async () => {
    const keys = '{"__proto__":{"muted":true},"constructor":{"prototype":{"muted":true}},'
    const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' }
    const answer = await service.app.inject({
      method: 'POST',
      url: '/v1/checks/api',
      headers,
      payload: keys + JSON.stringify(apiCheckBody()).slice(1),
    })
    expect(answer.statusCode, answer.body).toBe(201)
    expect(answer.json()).toMatchObject({ muted: false })
  })

  test.each([
    ['cut off', gzipSync(JSON.stringify({ agentId, runIds: [] })).subarray(0, 15), 400],
    ['not gzip at all', Buffer.from('hello'), 400],
    ['larger unpacked than may be', gzipSync(Buffer.alloc(65 * 1024 * 1024, ' ')), 413],
  ])('in gzip that is %s is refused', async (_what, payload, statusCode) => {
    const answer = await service.app.inject({
      method: 'POST',
      url: '/agent/v1/leases',
      headers: {
        authorization: `Bearer ${embeddedKey}`,
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      },
      payload,
    })
    expect(answer.json()).toMatchObject({ statusCode })
  })
})

test.each(['/v1/checks/%', '/v1/checks/%ff', `/v1/checks/${'x'.repeat(301)}`])(
  'a path that cannot be routed answers with the error body: %s',
  async (url) => {
    const answer = await service.api('GET', url)
    expect(answer.statusCode).toBe(400)
    expect(Object.keys(answer.json())).toEqual(['statusCode', 'error', 'message'])
    expect(answer.json().error).toBe('Bad Request')
  },
)

test.each<[string, Record<string, unknown>, string]>([
  ['a ca of beginnings without an end', { ca: '-----BEGIN CERTIFICATE-----'.repeat(9700) }, 'ca'],
  ['a certificate of dashes', { cert: '-'.repeat(65_536) }, 'cert'],
  ['a key of beginnings without an end', { key: '-----BEGIN PRIVATE KEY-----'.repeat(1200) }, 'key'],
  ['a key of one line of spaces', { key: `-----BEGIN PRIVATE KEY-----${' '.repeat(32_000)}` }, 'key'],
  ['a key that is nested without end', { key: pkcs8('3080'.repeat(8000)) }, 'key'],
  ['a key that is nested too deeply', { key: pkcs8(nested(200)) }, 'key'],
  ['a key that says it is longer than it is', { key: pkcs8('3084ffffffff30') }, 'key'],
  ['a host of labels', { host: `${'a.'.repeat(127)}!` }, 'host'],
])('%s is refused, however long it is', async (_what, overrides, field) => {
  const answer = await service.api('POST', '/v1/client-certificates', clientCertificateBody(overrides))
  expect([answer.statusCode, answer.json().validation?.keys]).toEqual([400, [field]])
})

test.each([
  ['locations', 'eu-west-1'],
  ['privateLocations', 'a'],
  ['tags', 7],
])('a list of %s far over its limit costs no more than one just over it', async (field, item) => {
  const answer = await service.api(
    'POST',
    '/v1/checks/api',
    apiCheckBody({ [field]: Array(30_000).fill(item) }),
  )
  expect(answer.statusCode).toBe(400)
  expect(answer.json().message).toContain(`"${field}`)
})

test('a body that is not UTF-8 is refused with 400, and nothing of it is stored', async () => {
  const payload = Buffer.concat([Buffer.from('{"key":"A","value":"'), Buffer.from([0xff]), Buffer.from('"}')])
  const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' }
  const answer = await service.app.inject({ method: 'POST', url: '/v1/variables', headers, payload })
  expect([answer.statusCode, answer.json().message]).toEqual([400, 'the body is not valid UTF-8'])
  expect((await service.api('GET', '/v1/variables')).json()).toEqual([])
})
