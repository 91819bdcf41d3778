import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ClaimResponse } from '../../src/contract/agent-protocol.ts'
import type { Result } from '../../src/contract/result.ts'
import type { CheckDefinition, Run } from '../../src/contract/run.ts'
import { resultIdOf } from '../../src/contract/run-ids.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { LocationWatch } from '../../src/server/loops/location-watch.ts'
import { schedulerTurn } from '../../src/server/loops/scheduler.ts'
import { agentCapabilities, agentId, resultOf } from '../support/agent-messages.ts'
import { apiCheckBody } from '../support/api-checks.ts'
import { clientCertificateBody } from '../support/key-pairs.ts'
import { logLevel, logLines } from '../support/log-lines.ts'
import { embeddedKey, startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
beforeEach(async () => {
  service = await startTestService()
})
afterEach(() => service.close())

async function claimOne(overrides: Record<string, unknown> = {}): Promise<Run> {
  await service.api('POST', '/v1/checks/api', apiCheckBody(overrides))
  service.clock.advance(10_000)
  const logger = createLogger({ name: 'test', level: 'ERROR', pretty: false })
  const locations = new LocationWatch({ db: service.database.kysely, logger, startedAt: service.clock.now() })
  await schedulerTurn({ ...service, locations })
  const message = { agentId, capabilities: agentCapabilities, slots: 1, waitMs: 0 }
  const [run] = (await service.agent('claims', message)).json<ClaimResponse>().runs
  if (!run) throw new Error('nothing was to be had')
  return run
}

const report = async (...results: unknown[]) => (await service.agent('results', { agentId, results })).json()

async function keyOfOffice(): Promise<string> {
  const place = (await service.api('POST', '/v1/private-locations', { name: 'p', slugName: 'office' })).json()
  return (await service.api('POST', `/v1/private-locations/${place.id}/keys`)).json().rawKey
}

describe('a number that storage cannot hold, or that would keep a run open for ever, is refused as poison', () => {
  const attempt = 2_147_483_648
  test.each<[string, (run: Run, now: number) => Partial<Result>]>([
    ['"attempt"', (run) => ({ attempt, id: resultIdOf(run.id, attempt) })],
    ['"retryAt"', () => ({ resultType: 'ATTEMPT', retryAt: 1e300 })],
    ['"retryAt"', (_run, now) => ({ resultType: 'ATTEMPT', retryAt: now + 24 * 60 * 60_000 })],
  ])('%s %#', async (field, changes) => {
    const run = await claimOne()
    const now = service.clock.now()
    const poison = resultOf(run, now, 'failing', changes(run, now))
    const answer = await report(poison, resultOf(run, now, 'passing'))
    expect(answer).toMatchObject({ accepted: 1, refused: [{ index: 0 }] })
    expect(answer.refused[0].reason).toContain(field)
    expect((await service.api('GET', `/v1/check-results/${run.checkId}`)).json()).toHaveLength(1)
  })
})

test('a key of one location neither renews nor gives back the runs of another, whatever agent it names', async () => {
  const key = await keyOfOffice()
  const run = await claimOne()
  const message = { agentId, runIds: [run.id] }
  expect((await service.agent('leases', message, key)).json().lost).toEqual([run.id])
  expect((await service.agent('releases', message, key)).json()).toEqual({ released: 0 })
  expect((await service.agent('leases', message, embeddedKey)).json().lost).toEqual([])
})

test('query parameters of a checked URL are shown under their names, whatever these are', async () => {
  const run = await claimOne()
  const result = resultOf(run, service.clock.now(), 'passing')
  const url = 'http://a.example/?constructor=1&__proto__=2&toString=3&toString=4'
  if (result.conclusion.kind !== 'judged') throw new Error('not judged')
  const { outcome } = result.conclusion
  if (outcome.type !== 'API' || outcome.kind !== 'observed') throw new Error('not observed')
  const { observation } = outcome
  observation.request = { ...observation.request, url }
  await report(result)
  const answer = await service.api('GET', `/v1/check-results/${run.checkId}/${result.id}`)
  expect(answer.statusCode, answer.body).toBe(200)
  expect(Object.entries(answer.json().apiCheckResult.request.params)).toEqual([
    ['constructor', '1'],
    ['__proto__', '2'],
    ['toString', ['3', '4']],
  ])
})

test('agents of a private location are listed with when they were last seen, as clients know it', async () => {
  const key = await keyOfOffice()
  const capabilities = agentCapabilities
  await service.agent('claims', { agentId, capabilities, slots: 1, waitMs: 0 }, key)
  const [place] = (await service.api('GET', '/v1/private-locations')).json()
  expect(place.runningAgents).toEqual([
    { version: '1.0.0', count: 1, agents: [{ id: agentId, lastSeenAt: '2026-03-01T12:00:00.000Z' }] },
  ])
})

describe('definitions, which hold secrets in clear,', () => {
  const definitions = async (checkIds: string[], key: string) =>
    (await service.agent('definitions', { checkIds }, key)).json().definitions

  test('are for agents of the check’s own locations alone', async () => {
    const key = await keyOfOffice()
    const create = async (overrides: Record<string, unknown>) =>
      (await service.api('POST', '/v1/checks/api', apiCheckBody(overrides))).json().id
    const environmentVariables = [{ key: 'TOKEN', value: 'hunter2', secret: true }]
    const here = await create({ locations: [], privateLocations: ['office'], environmentVariables })
    const elsewhere = await create({ environmentVariables })
    const ids = async (agentKey: string) =>
      (await definitions([here, elsewhere], agentKey)).map(({ checkId }: { checkId: string }) => checkId)
    expect(await ids(key)).toEqual([here])
    expect(await ids(embeddedKey)).toEqual([elsewhere])
  })

  test('are for nobody without an agent’s key', async () => {
    for (const key of [service.apiKey, 'pl_of-nobody-at-all-anywhere'])
      expect((await service.agent('definitions', { checkIds: [agentId] }, key)).statusCode).toBe(401)
  })

  test('have the variables and certificates of their own account, though one agent serves several', async () => {
    const { apiKey } = await service.addAccount()
    const theirs = { authorization: `Bearer ${apiKey}` }
    const ids: string[] = []
    for (const [headers, value] of [
      [{ authorization: `Bearer ${service.apiKey}` }, 'ours'],
      [theirs, 'theirs'],
    ] as const) {
      const post = (url: string, payload: object) =>
        service.app.inject({ method: 'POST', url, headers, payload })
      await post('/v1/variables', { key: 'WHOSE', value, secret: true })
      await post('/v1/client-certificates', clientCertificateBody({ host: `${value}.example` }))
      ids.push((await post('/v1/checks/api', apiCheckBody({ name: value }))).json().id)
    }
    const given: CheckDefinition[] = await definitions(ids, embeddedKey)
    expect(given).toHaveLength(2)
    for (const { name, variables, clientCertificates } of given) {
      expect(variables).toEqual([{ key: 'WHOSE', value: name, locked: false, secret: true }])
      expect(clientCertificates.map(({ host }) => host)).toEqual([`${name}.example`])
    }
  })

  test('whose secrets cannot be read are left out and logged, and the others go on', async () => {
    const { logger, lines } = logLines()
    const loud = await startTestService({ database: service.database, logger })
    const secret = (value: string) =>
      apiCheckBody({ environmentVariables: [{ key: 'K', value, secret: true }] })
    const create = async (value: string) =>
      (await service.api('POST', '/v1/checks/api', secret(value))).json().id
    const [spoilt, sound] = [await create('hunter2-taint'), await create('sound')]
    const { kysely } = service.database
    const rows = await kysely.selectFrom('checks').selectAll().execute()
    // The value of one check in the place of another's.
    const definition = rows.find(({ id }) => id === sound)?.definition ?? ''
    await kysely.updateTable('checks').set({ definition }).where('id', '=', spoilt).execute()
    const answer = await loud.agent('definitions', { checkIds: [spoilt, sound] })
    expect(answer.json().definitions.map(({ checkId }: CheckDefinition) => checkId)).toEqual([sound])
    expect(lines).toMatchObject([
      { level: logLevel.error, checkId: spoilt, err: { code: 'SECRET_UNREADABLE' } },
    ])
    expect(JSON.stringify(lines)).not.toMatch(/taint|v1:/)
  })
})

describe('another account', () => {
  const variable = { key: 'TOKEN', value: 'hunter2', secret: true }

  test('neither sees nor changes our variables and certificates, and has its own under the same keys', async () => {
    await service.api('POST', '/v1/variables', variable)
    const { id } = (await service.api('POST', '/v1/client-certificates', clientCertificateBody())).json()
    const headers = { authorization: `Bearer ${(await service.addAccount()).apiKey}` }
    const theirs = (method: 'GET' | 'PUT' | 'POST' | 'DELETE', url: string, payload?: object) =>
      service.app.inject({ method, url, headers, ...(payload && { payload }) })
    for (const [method, url, payload] of [
      ['GET', '/v1/variables/TOKEN', undefined],
      ['PUT', '/v1/variables/TOKEN', { value: 'stolen' }],
      ['DELETE', '/v1/variables/TOKEN', undefined],
      ['GET', `/v1/client-certificates/${id}`, undefined],
      ['DELETE', `/v1/client-certificates/${id}`, undefined],
    ] as const)
      expect((await theirs(method, url, payload)).statusCode, `${method} ${url}`).toBe(404)
    for (const url of ['/v1/variables', '/v1/client-certificates'])
      expect((await theirs('GET', url)).json()).toEqual([])
    expect((await theirs('POST', '/v1/variables', { ...variable, secret: false })).statusCode).toBe(201)
    expect((await service.api('GET', '/v1/variables/TOKEN')).json()).toMatchObject({ secret: true })
    expect((await service.api('GET', `/v1/client-certificates/${id}`)).statusCode).toBe(200)
  })

  test.each([
    ['GET', '/v1/variables'],
    ['POST', '/v1/variables'],
    ['GET', '/v1/variables/TOKEN'],
    ['PUT', '/v1/variables/TOKEN'],
    ['DELETE', '/v1/variables/TOKEN'],
    ['GET', '/v1/client-certificates'],
    ['POST', '/v1/client-certificates'],
    ['GET', `/v1/client-certificates/${agentId}`],
    ['DELETE', `/v1/client-certificates/${agentId}`],
  ] as const)('or nobody: %s %s without a key, or with an agent’s, answers 401', async (method, url) => {
    for (const headers of [{}, { authorization: `Bearer ${await keyOfOffice()}` }])
      expect((await service.app.inject({ method, url, headers })).statusCode).toBe(401)
  })
})
