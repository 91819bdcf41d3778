import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ClaimResponse } from '../../src/contract/agent-protocol.ts'
import type { Result } from '../../src/contract/result.ts'
import type { Run } from '../../src/contract/run.ts'
import { resultIdOf } from '../../src/contract/run-ids.ts'
import type { Verdict } from '../../src/contract/verdict.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { AgentsSeen } from '../../src/server/agent-gateway/agents-seen.ts'
import { claim as claimRunsFor } from '../../src/server/agent-gateway/claims.ts'
import { expireRunsTurn } from '../../src/server/loops/expire-runs.ts'
import { LocationWatch } from '../../src/server/loops/location-watch.ts'
import { schedulerTurn } from '../../src/server/loops/scheduler.ts'
import { agentCapabilities, agentId, otherAgentId, resultOf as resultAt } from '../support/agent-messages.ts'
import { apiCheckBody } from '../support/api-checks.ts'
import { embeddedKey, startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
let locations: LocationWatch
const logger = createLogger({ name: 'test', level: 'ERROR', pretty: false })

beforeEach(async () => {
  service = await startTestService()
  locations = new LocationWatch({ db: service.database.kysely, logger, startedAt: service.clock.now() })
})
afterEach(() => service.close())

const plan = () => schedulerTurn({ ...service, locations })

const createCheck = async (overrides: Record<string, unknown> = {}): Promise<string> =>
  (await service.api('POST', '/v1/checks/api', apiCheckBody(overrides))).json().id

async function claim(overrides: Record<string, unknown> = {}, key = embeddedKey): Promise<Run[]> {
  const answer = await service.agent(
    'claims',
    { agentId, capabilities: agentCapabilities, slots: 100, waitMs: 0, ...overrides },
    key,
  )
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<ClaimResponse>().runs
}

const resultOf = (run: Run, state: Verdict['state'], overrides: Partial<Result> = {}) =>
  resultAt(run, service.clock.now(), state, overrides)
const report = (...results: unknown[]) => service.agent('results', { agentId, results })
const status = async (checkId: string) => (await service.api('GET', `/v1/check-statuses/${checkId}`)).json()

async function claimOne(overrides: Record<string, unknown> = {}): Promise<Run> {
  await createCheck(overrides)
  service.clock.advance(10_000)
  await plan()
  const [run] = await claim()
  if (!run) throw new Error('nothing was planned')
  return run
}

describe('planning and claiming', () => {
  test('a check is due once each interval, in a phase of its own that a restart does not move', async () => {
    await createCheck()
    const dueAts: number[] = []
    for (let n = 0; n < 60; n += 1) {
      service.clock.advance(1000)
      locations = new LocationWatch({ db: service.database.kysely, logger, startedAt: service.clock.now() })
      await plan()
      dueAts.push(...(await claim()).map(({ dueAt }) => dueAt))
    }
    const gaps = dueAts.slice(1).map((dueAt, index) => dueAt - (dueAts[index] ?? 0))
    expect(dueAts.length).toBeGreaterThanOrEqual(5)
    expect(new Set(gaps)).toEqual(new Set([10_000]))
  })

  test('a run is leased to one agent, and is another agent’s when the lease has ended', async () => {
    const run = await claimOne()
    const others = await claim({ agentId: otherAgentId })
    expect(others.map(({ id }) => id)).not.toContain(run.id)
    service.clock.advance(60_001)
    const again = await claim({ agentId: otherAgentId })
    expect(again.map(({ id }) => id)).toContain(run.id)
  })

  test('a renewed lease keeps a run, and what is no longer held is named as lost', async () => {
    const run = await claimOne()
    service.clock.advance(50_000)
    const unknown = '33333333-3333-4333-8333-333333333333'
    const renewed = await service.agent('leases', { agentId, runIds: [run.id, unknown] })
    expect(renewed.json()).toEqual({ serverTime: service.clock.now(), lost: [unknown] })
    service.clock.advance(50_000)
    const others = await claim({ agentId: otherAgentId })
    expect(others.map(({ id }) => id)).not.toContain(run.id)
  })

  test('a released run is for the next who asks', async () => {
    const run = await claimOne()
    const answer = await service.agent('releases', { agentId, runIds: [run.id] })
    expect(answer.json()).toEqual({ released: 1 })
    expect((await claim({ agentId: otherAgentId })).map(({ id }) => id)).toContain(run.id)
  })

  test('a claim waits for runs and is answered as soon as there are some', async () => {
    await createCheck()
    service.clock.advance(10_000)
    const waiting = claim({ waitMs: 30_000 })
    await plan()
    expect((await waiting).length).toBeGreaterThanOrEqual(1)
  })

  test('over a real connection a claim waits, too, and its runs are given back when the agent hangs up', async () => {
    const url = `${await service.app.listen({ host: '127.0.0.1', port: 0 })}/agent/v1/claims`
    const headers = { authorization: `Bearer ${embeddedKey}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ agentId, capabilities: agentCapabilities, slots: 10, waitMs: 30_000 })
    const hangUp = new AbortController()
    const left = fetch(url, { method: 'POST', headers, body, signal: hangUp.signal })
    const waiting = fetch(url, { method: 'POST', headers, body })
    hangUp.abort()
    await expect(left).rejects.toThrow()
    await createCheck()
    service.clock.advance(10_000)
    await plan()
    const { runs } = (await (await waiting).json()) as ClaimResponse
    expect(runs.length).toBeGreaterThanOrEqual(1)
  })

  test('runs that were claimed for an agent that has gone meanwhile are the next one’s at once', async () => {
    await createCheck()
    service.clock.advance(10_000)
    await plan()
    const gone = AbortSignal.abort()
    const request = { agentId, capabilities: agentCapabilities, slots: 10, waitMs: 0 }
    const agent = {
      kind: 'agent',
      keyId: 'k',
      accountId: null,
      location: 'embedded',
      embedded: true,
    } as const
    const claiming = { ...service, seen: new AgentsSeen(service) }
    expect((await claimRunsFor(claiming, agent, request, gone)).runs).toEqual([])
    expect((await claim({ agentId: otherAgentId })).length).toBeGreaterThanOrEqual(1)
  })

  test('parallel runs go to every location at each tick, a round robin to one after the other', async () => {
    const both = ['eu-west-1', 'us-east-1']
    const parallel = await createCheck({ locations: both, runParallel: true })
    const robin = await createCheck({ locations: both })
    service.clock.advance(10_000)
    await plan()
    service.clock.advance(10_000)
    await plan()
    const runs = await claim()
    const placesAt = (checkId: string) =>
      [
        ...Map.groupBy(
          runs.filter((run) => run.checkId === checkId),
          ({ dueAt }) => dueAt,
        ),
      ]
        .toSorted(([one], [other]) => one - other)
        .map(([, atOnce]) => atOnce.map(({ location }) => location).toSorted())
    for (const places of placesAt(parallel)) expect(places).toEqual(both)
    const turns = placesAt(robin)
    expect(turns.length).toBeGreaterThanOrEqual(2)
    for (const [n, places] of turns.entries())
      expect(places).toEqual([both[(both.indexOf(turns[0]?.[0] ?? '') + n) % 2]])
  })

  test.each([{ activated: false }])('a check with %j is not planned', async (overrides) => {
    await createCheck(overrides)
    service.clock.advance(60_000)
    await plan()
    expect(await claim()).toEqual([])
  })

  test('a check with a script goes to no agent without its runtime', async () => {
    await createCheck({ localSetupScript: 'request.headers.x = 1', runtimeId: '2025.04' })
    service.clock.advance(10_000)
    await plan()
    expect(await claim()).toEqual([])
    const capable = await claim({ capabilities: { ...agentCapabilities, runtimes: ['2025.04'] } })
    expect(capable.length).toBeGreaterThanOrEqual(1)
  })

  test('an update plans anew, under a new version', async () => {
    const checkId = await createCheck()
    service.clock.advance(10_000)
    await plan()
    await service.api('PUT', `/v1/checks/api/${checkId}`, apiCheckBody({ name: 'changed' }))
    service.clock.advance(10_000)
    await plan()
    const runs = await claim()
    expect(runs.at(-1)?.version).toBe(2)
    const definitions = await service.agent('definitions', { checkIds: [checkId] })
    expect(definitions.json().definitions[0]).toMatchObject({
      checkId,
      version: 2,
      name: 'changed',
      type: 'API',
    })
  })

  test('slots of a time when no server was up are recorded as missed, not run late', async () => {
    await createCheck()
    service.clock.advance(3_600_000)
    await plan()
    const runs = await claim()
    expect(runs.length).toBeLessThanOrEqual(3)
    const missed = await service.database.kysely.selectFrom('missedSlots').selectAll().execute()
    expect(missed).toMatchObject([{ reason: 'service-down' }])
    expect((missed[0]?.slots ?? 0) + runs.length).toBeGreaterThanOrEqual(359)
  })

  test('a run that nobody claims within six minutes is missed, with the reason', async () => {
    const checkId = await createCheck()
    service.clock.advance(10_000)
    await plan()
    service.clock.advance(6 * 60_000 + 5000)
    await expireRunsTurn({ ...service, logger: createLogger({ name: 't', level: 'ERROR', pretty: false }) })
    const runs = await service.database.kysely
      .selectFrom('checkRuns')
      .selectAll()
      .where('checkId', '=', checkId)
      .execute()
    expect(runs).toContainEqual(
      expect.objectContaining({ state: 'done', outcome: 'missed', reason: 'not-claimed' }),
    )
  })

  test('a location that no agent served for ten minutes gets nothing queued, and resumes by itself', async () => {
    const checkId = await createCheck()
    const ledger = () =>
      service.database.kysely
        .selectFrom('checkRuns')
        .select(['state', 'reason'])
        .where('checkId', '=', checkId)
        .orderBy('dueAt', 'desc')
        .executeTakeFirst()
    service.clock.advance(601_000)
    await plan()
    expect(await ledger()).toEqual({ state: 'done', reason: 'location-unavailable' })
    await claim()
    service.clock.advance(10_000)
    await plan()
    expect(await ledger()).toEqual({ state: 'pending', reason: null })
  })
})

describe('a key of a private location', () => {
  test('gets the runs of its location only, and cannot speak for others', async () => {
    const place = (
      await service.api('POST', '/v1/private-locations', { name: 'p', slugName: 'office' })
    ).json()
    const { rawKey } = (await service.api('POST', `/v1/private-locations/${place.id}/keys`)).json()
    await createCheck({ locations: [], privateLocations: ['office'] })
    await createCheck()
    service.clock.advance(10_000)
    await plan()
    const own = await claim({}, rawKey)
    expect(new Set(own.map(({ location }) => location))).toEqual(new Set(['office']))
    const [foreign] = await claim()
    if (!foreign) throw new Error('nothing was planned')
    const answer = await service.agent(
      'results',
      { agentId, results: [resultOf(foreign, 'failing')] },
      rawKey,
    )
    expect(answer.json()).toMatchObject({ accepted: 0, refused: [{ index: 0 }] })
    const [seen] = (await service.api('GET', '/v1/private-locations')).json()
    expect(seen).toMatchObject({
      agentCount: 1,
      lastSeen: '2026-03-01',
      runningAgents: [{ version: '1.0.0', count: 1 }],
    })
  })
})

describe('reporting', () => {
  test('a result moves status, ledger and listings', async () => {
    const run = await claimOne()
    expect((await service.api('GET', `/v1/check-statuses/${run.checkId}`)).body).toBe('null')
    expect((await report(resultOf(run, 'failing'))).json()).toEqual({ accepted: 1, refused: [] })
    expect(await status(run.checkId)).toMatchObject({
      checkId: run.checkId,
      hasFailures: true,
      hasErrors: false,
      isDegraded: false,
      longestRun: 12.5,
      shortestRun: 12.5,
      lastRunLocation: 'eu-west-1',
    })
    const [listed] = (await service.api('GET', `/v1/check-results/${run.checkId}`)).json()
    expect(listed).toMatchObject({
      hasFailures: true,
      responseTime: 12.5,
      runLocation: 'eu-west-1',
      resultType: 'FINAL',
      apiCheckResult: {
        request: { method: 'GET', params: { a: '1' } },
        response: {
          status: 200,
          body: 'hello',
          timingPhases: { wait: 0.3, dns: null, tcp: 0.5, firstByte: 11, download: 0.9, total: 12.5 },
        },
        requestError: null,
      },
      diagnosis: { kind: 'observed', verdict: { reasons: ['because'] } },
    })
    const one = await service.api('GET', `/v1/check-results/${run.checkId}/${listed.id}`)
    expect(one.json()).toEqual(listed)
    const ledger = await service.database.kysely
      .selectFrom('checkRuns')
      .selectAll()
      .where('id', '=', run.id)
      .executeTakeFirst()
    expect(ledger).toMatchObject({ state: 'done', outcome: 'failed' })
  })

  test('the same result sent twice is one result', async () => {
    const run = await claimOne()
    await report(resultOf(run, 'passing'), resultOf(run, 'passing'))
    await report(resultOf(run, 'passing'))
    expect((await service.api('GET', `/v1/check-results/${run.checkId}`)).json()).toHaveLength(1)
  })

  test('a slot keeps its first final outcome', async () => {
    const run = await claimOne()
    await report(resultOf(run, 'passing'))
    await report(resultOf(run, 'failing', { attempt: 2, id: resultIdOf(run.id, 2) }))
    expect(await status(run.checkId)).toMatchObject({ hasFailures: false })
    expect((await service.api('GET', `/v1/check-results/${run.checkId}?resultType=ALL`)).json()).toHaveLength(
      1,
    )
  })

  test('what was seen outranks a miss: a result kept through an outage counts, a miss after it does not', async () => {
    const run = await claimOne()
    const missed = { kind: 'missed', reason: 'late' } as const
    await report(resultOf(run, 'passing', { conclusion: missed }))
    await report(resultOf(run, 'failing'))
    await report(resultOf(run, 'passing', { conclusion: missed }))
    expect(await status(run.checkId)).toMatchObject({ hasFailures: true })
    expect((await service.api('GET', `/v1/check-results/${run.checkId}`)).json()).toHaveLength(1)
    const { kysely } = service.database
    const ledger = await kysely
      .selectFrom('checkRuns')
      .selectAll()
      .where('id', '=', run.id)
      .executeTakeFirst()
    expect(ledger).toMatchObject({ outcome: 'failed', reason: null })
  })

  test('an attempt that was made twice is stored as it ended', async () => {
    const run = await claimOne()
    await report(resultOf(run, 'failing', { resultType: 'ATTEMPT', retryAt: service.clock.now() + 5000 }))
    await report(resultOf(run, 'passing'))
    const all = (await service.api('GET', `/v1/check-results/${run.checkId}?resultType=ALL`)).json()
    expect(all).toMatchObject([{ resultType: 'FINAL', hasFailures: false }])
  })

  test('a result with a megabyte of control characters for a body is taken', async () => {
    const run = await claimOne()
    const { conclusion, ...rest } = resultOf(run, 'passing')
    if (conclusion.kind !== 'judged') throw new Error('not judged')
    const { outcome } = conclusion
    if (outcome.type !== 'API' || outcome.kind !== 'observed') throw new Error('not observed')
    const response = { ...outcome.observation.response, body: '\u0001'.repeat(1024 * 1024) }
    const large = { ...outcome, observation: { ...outcome.observation, response } }
    const answer = await report({ ...rest, conclusion: { ...conclusion, outcome: large } })
    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toEqual({ accepted: 1, refused: [] })
  })

  test('a poison record is refused by its index and does not block the others', async () => {
    const run = await claimOne()
    const good = resultOf(run, 'passing')
    const answer = await report({ nonsense: true }, { ...good, id: agentId }, good, null)
    const { accepted, refused } = answer.json()
    expect(accepted).toBe(1)
    expect(refused.map(({ index }: { index: number }) => index).sort()).toEqual([0, 1, 3])
  })

  test('a run whose final result can never be read ends as errored, of our own', async () => {
    const run = await claimOne()
    const poison = { ...resultOf(run, 'failing'), queueUs: 'soon' }
    expect((await report(poison)).json()).toMatchObject({ accepted: 0 })
    const row = await service.database.kysely
      .selectFrom('checkRuns')
      .selectAll()
      .where('id', '=', run.id)
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({ state: 'done', outcome: 'errored', reason: 'result-refused' })
    expect((await service.api('GET', `/v1/check-statuses/${run.checkId}`)).body).toBe('null')
  })

  test('an agent that begins anew frees what its process before had, and nobody else does', async () => {
    const run = await claimOne()
    expect((await claim({ agentId: otherAgentId, begins: true })).map(({ id }) => id)).not.toContain(run.id)
    expect((await claim({})).map(({ id }) => id)).not.toContain(run.id)
    expect((await claim({ begins: true })).map(({ id }) => id)).toContain(run.id)
  })

  test('an attempt that is retried is listed as ATTEMPT and moves neither status nor ledger', async () => {
    const run = await claimOne()
    await report(resultOf(run, 'failing', { resultType: 'ATTEMPT', retryAt: service.clock.now() + 5000 }))
    expect((await service.api('GET', `/v1/check-statuses/${run.checkId}`)).body).toBe('null')
    expect((await service.api('GET', `/v1/check-results/${run.checkId}`)).json()).toEqual([])
    service.clock.advance(61_000)
    const [again] = (await claim({ agentId: otherAgentId })).filter(({ id }) => id === run.id)
    expect(again).toMatchObject({ attempt: 2, firstStartedAt: expect.any(Number) })
    await report(resultOf(run, 'passing', { attempt: 2, id: resultIdOf(run.id, 2) }))
    const all = (await service.api('GET', `/v1/check-results/${run.checkId}?resultType=ALL`)).json()
    expect(all.map((one: { resultType: string }) => one.resultType).sort()).toEqual(['ATTEMPT', 'FINAL'])
    expect(new Set(all.map((one: { sequenceId: string }) => one.sequenceId)).size).toBe(1)
  })

  test('an errored run says nothing about the target', async () => {
    const run = await claimOne()
    const conclusion = { kind: 'errored', reason: 'agent-fault', message: 'ours' } as const
    await report(resultOf(run, 'failing', { conclusion }))
    expect(await status(run.checkId)).toMatchObject({ hasFailures: false, hasErrors: true })
  })

  test('a result of a check that was deleted meanwhile is taken and dropped', async () => {
    const run = await claimOne()
    await service.api('DELETE', `/v1/checks/${run.checkId}`)
    expect((await report(resultOf(run, 'passing'))).json()).toEqual({ accepted: 1, refused: [] })
  })

  test('a cursor walks all results once', async () => {
    const checkId = await createCheck()
    for (let n = 0; n < 7; n += 1) {
      service.clock.advance(10_000)
      await plan()
      await report(...(await claim()).map((run) => resultOf(run, 'passing')))
    }
    const seen: string[] = []
    let nextId: string | null = ''
    while (nextId !== null) {
      const query = `limit=2${nextId ? `&nextId=${nextId}` : ''}`
      const page: { entries: { id: string }[]; nextId: string | null } = (
        await service.api('GET', `/v2/check-results/${checkId}?${query}`)
      ).json()
      seen.push(...page.entries.map(({ id }) => id))
      nextId = page.nextId
    }
    const all = (await service.api('GET', `/v1/check-results/${checkId}?limit=100`)).json()
    expect(seen).toEqual(all.map(({ id }: { id: string }) => id))
    expect(seen.length).toBeGreaterThanOrEqual(7)
  })

  test('an error report is kept and holds its five fields', async () => {
    const body = {
      message: 'm',
      stack: 's',
      agentVersion: '1',
      platform: 'linux',
      runtimeVersion: 'v26',
      url: 'http://secret',
    }
    expect((await service.agent('error-reports', body)).statusCode).toBe(204)
    const rows = await service.database.kysely.selectFrom('agentErrorReports').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain('secret')
    expect(rows).toMatchObject([{ message: 'm', location: 'embedded' }])
  })

  test('errors of its own are taken from a key 300 times a minute, and its results all the same', async () => {
    const body = { message: 'm', stack: 's', agentVersion: '1', platform: 'linux', runtimeVersion: 'v26' }
    const statuses = new Map<number, number>()
    for (let sent = 0; sent < 305; sent += 1) {
      const { statusCode } = await service.agent('error-reports', body)
      statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1)
    }
    expect([...statuses]).toEqual([
      [204, 300],
      [429, 5],
    ])
    expect((await service.agent('leases', { agentId, runIds: [] })).statusCode).toBe(200)
  })

  test.each([
    ['claims', { agentId: 'x' }, 'agentId'],
    ['results', { agentId, results: [] }, 'results'],
    ['releases', { agentId, runIds: 'all' }, 'runIds'],
  ])('a bad message to %s is refused by its field', async (path, payload, field) => {
    const answer = await service.agent(path, payload)
    expect([answer.statusCode, answer.json().validation.keys]).toEqual([400, expect.arrayContaining([field])])
  })
})
