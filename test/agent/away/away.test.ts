import { describe, expect, test, vi } from 'vitest'
import type { Schedules } from '../../../src/contract/agent-schedules.ts'
import { runIdOf } from '../../../src/contract/run-ids.ts'
import type { RunCheck } from '../../../src/runner/run-check.ts'
import { apiDefinition } from '../../support/api-definition.ts'
import { observed, unreachable } from '../../support/api-outcomes.ts'
import { dueRun } from '../../support/due-run.ts'
import type { FakeService, ServiceFault } from '../../support/fake-service.ts'
import { startFakeService, startTestAgent, type TestAgent } from '../../support/test-agent.ts'

const definition = apiDefinition('http://target.test/')
const { checkId } = definition
const location = 'eu-west-1'
const patience = { timeout: 20_000, interval: 20 }

const scheduled = { checkId, version: 1, intervalMs: 1000, phaseMs: 300, runParallel: false, windows: [] }
const everySecond: Schedules = {
  locations: [location],
  checks: [{ ...scheduled, locations: [location] }],
  windows: [],
}

/** An agent that knows a check of every second, and has claimed once. */
async function setUp({ schedules = everySecond, env = {}, runCheck }: SetUp = {}) {
  const service = await startFakeService()
  service.schedules = schedules
  const started = await startTestAgent({ service, env, ...(runCheck && { runCheck }) })
  await vi.waitFor(() => expect(service.definitionRequests).not.toEqual([]), patience)
  await inTouch(service)
  return started
}

interface SetUp {
  readonly schedules?: Schedules
  readonly env?: Readonly<Record<string, string>>
  readonly runCheck?: RunCheck
}

/** Until the agent has had an answer to a claim: it is given one run, and asks for others. */
async function inTouch(service: FakeService): Promise<void> {
  const run = dueRun()
  service.enqueue(run)
  await vi.waitFor(() => expect(service.results.map(({ runId }) => runId)).toContain(run.id), patience)
}

async function awayOf({ health }: TestAgent): Promise<{ since: string | null; ownRuns: number }> {
  return JSON.parse((await health('/health')).text).away
}

const untilOwnRuns = (agent: TestAgent, count: number) =>
  vi.waitFor(async () => expect((await awayOf(agent)).ownRuns).toBeGreaterThanOrEqual(count), patience)

/** By dueAt: the results of slots, those of `setUp` left out. */
const ownResults = ({ service }: TestAgent) =>
  service.results
    .filter(({ runId, dueAt }) => runId === runIdOf(checkId, location, dueAt))
    .toSorted((a, b) => a.dueAt - b.dueAt)

function expectEachSecond(dueAts: readonly number[]): void {
  const first = dueAts[0] ?? 0
  expect(dueAts).toEqual(dueAts.map((_, index) => first + index * 1000))
  expect(first % 1000).toBe(scheduled.phaseMs)
}

describe('an agent that cannot reach its service', () => {
  test('goes on with its checks in their own phase, and the service has each result once', async () => {
    const agent = await setUp()
    const leavesAt = Date.now()
    await agent.service.close()
    const leftAt = Date.now()
    await untilOwnRuns(agent, 4)
    expect(Date.parse((await awayOf(agent)).since ?? '')).toBeGreaterThan(leavesAt - 100)
    await agent.service.listen()
    await vi.waitFor(() => expect(ownResults(agent).length).toBeGreaterThanOrEqual(4), patience)
    await vi.waitFor(async () => expect((await awayOf(agent)).since).toBeNull(), patience)
    const results = ownResults(agent)
    expectEachSecond(results.map(({ dueAt }) => dueAt))
    // It knows that it is alone after a second: a slot of this interval that was due at once is too late then.
    expect(results[0]?.dueAt).toBeLessThan(leftAt + 2000)
    for (const { conclusion } of results) expect(conclusion.kind).toBe('judged')
    for (const { queueUs } of results.slice(2)) expect(queueUs).toBeLessThan(250_000)
    const metrics = (await agent.health('/metrics')).text
    expect(metrics).toMatch(/picket_own_runs_total [1-9]/)
    expect(metrics).toContain('picket_away_seconds 0\n')
  })

  test.each<[string, ServiceFault]>([
    ['answers 503', 503],
    ['answers 429', 429],
    ['breaks its connections', 'drop'],
  ])('goes on when the service %s', async (_, fault) => {
    const agent = await setUp()
    agent.service.faults.set('claims', fault)
    await untilOwnRuns(agent, 2)
  })

  test('goes on when the service says nothing any more', async () => {
    const agent = await setUp()
    for (const endpoint of ['claims', 'leases', 'results'] as const) {
      agent.service.faults.set(endpoint, 'silence')
    }
    await untilOwnRuns(agent, 2)
  })

  test('does not go on when its key is not accepted', async () => {
    const agent = await setUp()
    const { service } = agent
    await service.close()
    await untilOwnRuns(agent, 1)
    service.faults.set('claims', 401)
    await service.listen()
    const error = () => agent.health('/health').then(({ text }) => JSON.parse(text).lastPollError)
    await vi.waitFor(async () => expect(await error()).toBe('API_KEY_REJECTED'), patience)
    const { ownRuns } = await awayOf(agent)
    await service.close()
    await vi.waitFor(async () => expect(await error()).toBe('SERVICE_UNAVAILABLE'), patience)
    expect((await awayOf(agent)).ownRuns).toBe(ownRuns)
    await service.listen()
  })

  test('does not run again what the service gives it afterwards', async () => {
    const runCheck = vi.fn<RunCheck>(async () => observed({}))
    const agent = await setUp({ runCheck })
    agent.service.faults.set('claims', 503)
    await untilOwnRuns(agent, 2)
    await vi.waitFor(() => expect(ownResults(agent).length).toBeGreaterThanOrEqual(2), patience)
    const [own] = ownResults(agent)
    if (!own) throw new Error('no own run')
    agent.service.enqueue(dueRun({ id: own.runId, dueAt: own.dueAt }))
    agent.service.faults.delete('claims')
    await inTouch(agent.service)
    expect(ownResults(agent).filter(({ runId }) => runId === own.runId)).toHaveLength(1)
    expect(runCheck).toHaveBeenCalledTimes(agent.service.results.length)
  })

  test('retries its own runs by itself', async () => {
    const retryStrategy = {
      type: 'FIXED',
      baseBackoffSeconds: 0,
      sameRegion: true,
      maxRetries: 1,
      maxDurationSeconds: 600,
    } as const
    const service = await startFakeService()
    service.define({ ...definition, retryStrategy })
    service.schedules = everySecond
    const agent = await startTestAgent({ service, runCheck: async () => unreachable() })
    await vi.waitFor(() => expect(service.definitionRequests).not.toEqual([]), patience)
    await vi.waitFor(() => expect(service.claims).not.toEqual([]), patience)
    await inTouch(service)
    service.faults.set('claims', 503)
    await untilOwnRuns(agent, 1)
    await vi.waitFor(() => expect(ownResults(agent).length).toBeGreaterThanOrEqual(2), patience)
    const [first] = ownResults(agent)
    const attempts = ownResults(agent).filter(({ runId }) => runId === first?.runId)
    expect(attempts.map(({ attempt, resultType }) => [attempt, resultType])).toEqual([
      [1, 'ATTEMPT'],
      [2, 'FINAL'],
    ])
  })

  test('stops when it is told to', async () => {
    const agent = await setUp()
    await agent.service.close()
    await untilOwnRuns(agent, 2)
    await vi.waitFor(
      async () => expect((await agent.health('/health')).text).toMatch(/"depth":[1-9]/),
      patience,
    )
    agent.agent.skipGrace()
    await agent.agent.drain()
    expect(agent.log.map(({ msg }) => msg)).toContain('unsent results stay in the outbox for the next start')
    await agent.service.listen()
  })
})

describe('an agent that can reach its service', () => {
  test('learns of a check when it is given its first run', async () => {
    const service = await startFakeService()
    await startTestAgent({ service })
    const reads = () => service.targets.filter((target) => target === '/agent/v1/schedules').length
    await vi.waitFor(() => expect(reads()).toBe(1), patience)
    service.enqueue(dueRun())
    await vi.waitFor(() => expect(reads()).toBe(2), patience)
  })

  test('runs nothing by itself, but asks whether the service is there when nobody gave it what is due', async () => {
    const agent = await setUp()
    const asked = () => agent.service.claims.filter(({ waitMs }) => waitMs === 0)
    await vi.waitFor(() => expect(asked().length).toBeGreaterThanOrEqual(2), patience)
    expect(await awayOf(agent)).toEqual({ since: null, ownRuns: 0 })
    expect(ownResults(agent)).toEqual([])
  })

  test('asks nothing of that kind when it is not to go on by itself', async () => {
    const service = await startFakeService()
    service.schedules = everySecond
    const agent = await startTestAgent({ service, env: { PICKET_AWAY_MAX_HOURS: '0' } })
    await inTouch(service)
    const claims = service.claims.length
    await service.close()
    await vi.waitFor(async () => expect((await awayOf(agent)).since).not.toBeNull(), patience)
    await service.listen()
    await vi.waitFor(() => expect(service.claims.length).toBeGreaterThan(claims), patience)
    expect(service.targets).not.toContain('/agent/v1/schedules')
    expect((await awayOf(agent)).ownRuns).toBe(0)
  })

  test('says once that its service gives no schedules, and works all the same', async () => {
    const service = await startFakeService()
    service.faults.set('schedules', 404)
    const { log } = await startTestAgent({ service })
    await inTouch(service)
    await vi.waitFor(() => expect(service.targets).toContain('/agent/v1/schedules'), patience)
    const texts = () => log.map(({ msg }) => msg).filter((msg) => msg.includes('gives no schedules'))
    await vi.waitFor(() => expect(texts()).toHaveLength(1), patience)
    expect(log.filter(({ level }) => level > 30)).toEqual([])
  })
})
