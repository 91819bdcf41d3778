import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CheckTypeName, checkTypeNames, isRunnable } from '../../src/contract/check-types.ts'
import { bareChecks, fullChecks, pathOfType } from '../support/check-bodies.ts'
import { contractFaults, contractIsHere, skippedWithoutContract } from '../support/shared-contract.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
beforeEach(async () => {
  service = await startTestService({ publicOrigin: 'https://picket.example' })
})
afterEach(() => service.close())

type Body = Readonly<Record<string, unknown>>
const create = (type: CheckTypeName, body: Body) => {
  const path = pathOfType[type]
  return path
    ? service.api('POST', `/v1/checks/${path}`, body)
    : service.api('POST', '/v1/checks', { ...body, checkType: type })
}
const update = (type: CheckTypeName, id: string, body: Body) =>
  service.api('PUT', `/v1/checks/${pathOfType[type] ? `${pathOfType[type]}/` : ''}${id}`, body)

const heartbeatAnswer = [
  ...['name', 'id', 'activated', 'muted', 'tags', 'alertSettings', 'useGlobalAlertSettings'],
  ...['alertChannelSubscriptions', 'triggerIncident', 'runParallel', 'description', 'checkType'],
  ...['heartbeat', 'alertChannels', 'created_at', 'updated_at'],
]

/** What a check of this type answers of what was sent. */
function told(type: CheckTypeName, body: Body): Body {
  if (type !== 'HEARTBEAT') return body
  const shown = Object.entries(body).filter(([key]) => heartbeatAnswer.includes(key) && key !== 'heartbeat')
  return Object.fromEntries(shown)
}

describe.each(checkTypeNames)('a check of the type %s', (type) => {
  test('comes back as it was sent, from each operation', async () => {
    const created = await create(type, fullChecks[type])
    expect(created.statusCode, created.body).toBe(201)
    expect(created.headers['content-type']).toBe('application/json; charset=utf-8')
    const check = created.json()
    expect(check).toMatchObject({
      ...told(type, fullChecks[type]),
      checkType: type,
      alertChannels: { email: [], webhook: [], slack: [], sms: [] },
      created_at: '2026-03-01',
      updated_at: null,
    })
    expect((await service.api('GET', `/v1/checks/${check.id}`)).json()).toEqual(check)
    expect((await service.api('GET', `/v1/checks?checkType=${type}`)).json()).toEqual([check])
    const deleted = await service.api('DELETE', `/v1/checks/${check.id}`)
    expect([deleted.statusCode, deleted.body]).toEqual([204, ''])
    expect((await service.api('GET', `/v1/checks/${check.id}`)).statusCode).toBe(404)
  })

  test('is made by POST /v1/checks, too, and updated by PUT /v1/checks/{id}', async () => {
    const created = await service.api('POST', '/v1/checks', { ...bareChecks[type], checkType: type })
    expect(created.statusCode, created.body).toBe(201)
    const { id } = created.json()
    const updated = await service.api('PUT', `/v1/checks/${id}`, { ...fullChecks[type], name: 'other' })
    expect(updated.statusCode, updated.body).toBe(200)
    expect(updated.json()).toMatchObject({ ...told(type, fullChecks[type]), id, name: 'other' })
  })

  test('is replaced by an update: what is left out takes its default', async () => {
    const fresh = (await create(type, bareChecks[type])).json()
    const { id, heartbeat } = (await create(type, fullChecks[type])).json()
    const updated = await update(type, id, { script: '', ...bareChecks[type] })
    expect(updated.statusCode, updated.body).toBe(200)
    const { script: _script, ...rest } = updated.json()
    const { script: _freshScript, ...expected } = fresh
    expect(rest).toEqual({
      ...expected,
      id,
      updated_at: expect.stringMatching(/^2026-03-01T/),
      ...(heartbeat && {
        heartbeat: { ...fresh.heartbeat, pingToken: heartbeat.pingToken, pingUrl: heartbeat.pingUrl },
      }),
    })
  })

  test('stays what it is when what was read is sent back', async () => {
    const check = (await create(type, fullChecks[type])).json()
    const body = type === 'HEARTBEAT' ? { ...check, script: '' } : check
    const again = await update(type, check.id, body)
    expect(again.json()).toEqual({ ...check, updated_at: expect.any(String) })
  })

  test('of another account is not there, for any operation', async () => {
    const { apiKey } = await service.addAccount()
    const { id } = (await create(type, bareChecks[type])).json()
    const foreign = (method: 'GET' | 'PUT' | 'DELETE', url: string) =>
      service.app.inject({
        method,
        url,
        headers: { authorization: `Bearer ${apiKey}` },
        ...(method === 'PUT' && { payload: { ...fullChecks[type] } }),
      })
    const answers = [
      await foreign('GET', `/v1/checks/${id}`),
      await foreign('PUT', `/v1/checks/${id}`),
      await foreign('PUT', `/v1/checks/${pathOfType[type] ?? 'api'}/${id}`),
      await foreign('DELETE', `/v1/checks/${id}`),
    ]
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404, 404, 404])
  })

  test.runIf(contractIsHere)(`answers as the contract has it${skippedWithoutContract}`, async () => {
    const path = pathOfType[type]
    const created = await create(type, fullChecks[type])
    const route = path ? `/v1/checks/${path}` : '/v1/checks'
    expect(contractFaults('POST', route, 201, created.json())).toEqual([])
    const { id } = created.json()
    const updated = await update(type, id, fullChecks[type])
    const updateRoute = path ? `/v1/checks/${path}/{id}` : '/v1/checks/{id}'
    expect(contractFaults('PUT', updateRoute, 200, updated.json())).toEqual([])
    const list = await service.api('GET', '/v1/checks')
    expect(contractFaults('GET', '/v1/checks', 200, list.json())).toEqual([])
  })
})

test.each(checkTypeNames.filter((type) => !isRunnable(type)))(
  'a check of the type %s, which no agent can run, has no runs, and its status says why',
  async (type) => {
    const { id } = (await create(type, bareChecks[type])).json()
    const status = await service.api('GET', `/v1/check-statuses/${id}`)
    expect(status.json()).toMatchObject({
      checkId: id,
      hasFailures: false,
      hasErrors: true,
      reason: `No agent can run checks of the type ${type}: this one is kept and never run`,
    })
    expect((await service.api('GET', '/v1/check-statuses')).json()).toEqual([status.json()])
    const { nextDueAt } = await service.database.kysely
      .selectFrom('checks')
      .select('nextDueAt')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(nextDueAt).toBeNull()
  },
)

test.each<[CheckTypeName, Body, string, string]>([
  ['URL', { degradedResponseTime: 30_001 }, 'degradedResponseTime', 'must be 30000 or less'],
  ['TCP', { maxResponseTime: 5001 }, 'maxResponseTime', 'must be 5000 or less'],
  ['DNS', { maxResponseTime: 5001 }, 'maxResponseTime', 'must be 5000 or less'],
  ['HEARTBEAT', { maxResponseTime: 300_001 }, 'maxResponseTime', 'must be 300000 or less'],
  ['ICMP', { maxPacketLossThreshold: 101 }, 'maxPacketLossThreshold', 'must be 100 or less'],
  ['BROWSER', { frequency: 0, frequencyOffset: 10 }, 'frequency', 'must be one of [1, 2, 5'],
  ['URL', { frequency: 0, frequencyOffset: 10 }, 'frequency', 'must be one of [1, 2, 5'],
  ['TCP', { frequency: 0, frequencyOffset: 15 }, 'frequencyOffset', 'must be one of [10, 20, 30]'],
  ['TCP', { frequency: 0 }, 'frequencyOffset', 'was left out'],
  ['TCP', { request: { hostname: 'https://a', port: 1 } }, 'request.hostname', 'must be a host name'],
  ['TCP', { request: { hostname: 'a', port: 65_536 } }, 'request.port', 'must be 65535 or less'],
  ['ICMP', { request: { hostname: 'a b' } }, 'request.hostname', 'must be a host name'],
  ['ICMP', { request: { hostname: 'a', pingCount: 51 } }, 'request.pingCount', 'must be 50 or less, was 51'],
  [
    'DNS',
    { request: { query: 'a', recordType: 'PTR' } },
    'request.recordType',
    'must be one of ["A", "AAAA", "CNAME", "MX", "TXT", "SOA", "NS"], was "PTR"',
  ],
  [
    'DNS',
    { request: { query: 'a', recordType: 'A', port: 53 } },
    'request.nameServer',
    'is required with "request.port"',
  ],
  [
    'DNS',
    { request: { query: 'a', recordType: 'A', nameServer: '192.0.2.1' } },
    'request.port',
    'is required with "request.nameServer"',
  ],
  ['URL', { request: { url: 'ftp://a' } }, 'request.url', 'must be a URL that starts with http'],
  [
    'URL',
    { request: { url: 'http://a', assertions: [{ source: 'STATUS_CODE', comparison: 'CONTAINS' }] } },
    'request.assertions[0].comparison',
    'must be one of ["EQUALS", "NOT_EQUALS", "LESS_THAN", "GREATER_THAN"]',
  ],
  [
    'HEARTBEAT',
    { heartbeat: { period: 29, periodUnit: 'seconds', grace: 0, graceUnit: 'seconds' } },
    'heartbeat.period',
    'must be from 30 seconds to 365 days, was 29 seconds',
  ],
  [
    'HEARTBEAT',
    { heartbeat: { period: 366, periodUnit: 'days', grace: 366, graceUnit: 'days' } },
    'heartbeat.period,heartbeat.grace',
    'must be from 0 to 365 days, was 366 days',
  ],
  ['HEARTBEAT', { request: { url: 'http://a' } }, 'locations', 'at least one `location`'],
  ['BROWSER', { locations: [] }, 'locations', 'at least one `location`'],
  ['MULTI_STEP', { description: 'x'.repeat(501) }, 'description', 'must have at most 500 characters'],
])('a %s check with %j is refused with 400 that names %s', async (type, overrides, keys, text) => {
  const answer = await create(type, { ...bareChecks[type], ...overrides })
  expect([answer.statusCode, answer.json().validation?.keys.join(',')]).toEqual([400, keys])
  expect(answer.json().message).toContain(text)
  expect((await service.api('GET', '/v1/checks')).json()).toEqual([])
})

test.each<[CheckTypeName, Body]>([
  ['API', { heartbeat: { period: 0, periodUnit: '', grace: 0, graceUnit: '' }, id: '', created_at: '' }],
  ['API', { checkType: 'API', script: null, sslCheckDomain: '' }],
  ['TCP', { tags: null, retryStrategy: null, alertChannelSubscriptions: null, triggerIncident: null }],
  ['HEARTBEAT', { request: {}, created_at: '0001-01-01T00:00:00Z' }],
  ['DNS', { request: { query: 'a', recordType: 'A', nameServer: null, port: null } }],
])('a %s check of a client that also sends %j is taken', async (type, extra) => {
  const answer = await create(type, { ...bareChecks[type], ...extra })
  expect(answer.statusCode, answer.body).toBe(201)
})

test('an update of one type does not reach a check of another', async () => {
  const { id } = (await create('URL', bareChecks.URL)).json()
  const answer = await service.api('PUT', `/v1/checks/api/${id}`, bareChecks.API)
  expect([answer.statusCode, answer.json().message]).toEqual([404, 'There is no such API check'])
})

test.each([undefined, 'NONE', 7])(
  'POST /v1/checks with the checkType %j names the types',
  async (checkType) => {
    const answer = await service.api('POST', '/v1/checks', { ...bareChecks.API, checkType })
    expect([answer.statusCode, answer.json().validation.keys]).toEqual([400, ['checkType']])
  },
)

describe('a heartbeat', () => {
  test('has a token of its own, which stays whatever an update says', async () => {
    const { id, heartbeat } = (await create('HEARTBEAT', bareChecks.HEARTBEAT)).json()
    expect(heartbeat.pingToken).toMatch(/^[0-9a-f-]{36}$/)
    expect(heartbeat.pingUrl).toBe(`https://picket.example/heartbeats/ping/${heartbeat.pingToken}`)
    const other = {
      ...(bareChecks.HEARTBEAT['heartbeat'] as object),
      pingToken: '00000000-0000-4000-8000-000000000000',
    }
    const updated = await update('HEARTBEAT', id, { script: '', heartbeat: other })
    expect(updated.json().heartbeat).toMatchObject({
      pingToken: heartbeat.pingToken,
      pingUrl: heartbeat.pingUrl,
    })
  })

  test('needs the script that service.md requires of an update', async () => {
    const { id } = (await create('HEARTBEAT', bareChecks.HEARTBEAT)).json()
    const answer = await update('HEARTBEAT', id, bareChecks.HEARTBEAT)
    expect([answer.statusCode, answer.json().validation.keys]).toEqual([400, ['script']])
  })
})

test('whatever a check is made of comes back, whichever its type', { timeout: 60_000 }, async () => {
  const text = fc.string({ unit: 'binary', maxLength: 30 }).filter((value) => !value.includes('\u0000'))
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...checkTypeNames),
      fc.record({
        name: text.filter((name) => name !== ''),
        activated: fc.boolean(),
        muted: fc.boolean(),
        tags: fc.array(text, { maxLength: 4 }),
        runParallel: fc.boolean(),
        description: fc.option(text),
        useGlobalAlertSettings: fc.boolean(),
      }),
      async (type, fields) => {
        const created = await create(type, { ...fullChecks[type], ...fields })
        expect(created.statusCode, created.body).toBe(201)
        const check = created.json()
        expect(check).toMatchObject(fields)
        const again = await update(type, check.id, type === 'HEARTBEAT' ? { ...check, script: '' } : check)
        expect(again.json()).toEqual({ ...check, updated_at: expect.any(String) })
      },
    ),
    { numRuns: 60 },
  )
})
