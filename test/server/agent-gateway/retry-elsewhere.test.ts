import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { DefinitionsResponse } from '../../../src/contract/agent-protocol.ts'
import type { CheckResultResource } from '../../../src/contract/resources/check-result.ts'
import { runIdOf } from '../../../src/contract/run-ids.ts'
import { createLogger } from '../../../src/lib/logger.ts'
import { expireRunsTurn } from '../../../src/server/loops/expire-runs.ts'
import { passingResult, resultOf } from '../../support/agent-messages.ts'
import { onDemand } from '../../support/on-demand.ts'
import { startTestService, type TestService } from '../../support/test-service.ts'
import { agentAt, elsewhere, firstRun, givenBack } from '../../support/two-places.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const logger = createLogger({ name: 'test', level: 'ERROR', pretty: false })

let service: TestService
beforeEach(async () => {
  service = await startTestService()
})
afterEach(() => service.close())

const accepted = { accepted: 1, refused: [] }
const first = <T>([one]: readonly T[]): T => {
  if (one === undefined) throw new Error('there is none')
  return one
}
const ledger = (runId: string) =>
  service.database.kysely
    .selectFrom('checkRuns')
    .selectAll()
    .where('id', '=', runId)
    .executeTakeFirstOrThrow()
/** The oldest first. */
async function resultsOf(checkId: string): Promise<CheckResultResource[]> {
  const answer = await service.api('GET', `/v1/check-results/${checkId}?resultType=ALL&limit=100`)
  return answer.json<CheckResultResource[]>().toReversed()
}
const statusOf = async (checkId: string) => (await service.api('GET', `/v1/check-statuses/${checkId}`)).json()
const expire = () => expireRunsTurn({ ...service, logger })

describe('a run that is given back for its retry', () => {
  test('is made at the other location, at once, as the second attempt of the same slot', async () => {
    const { run, here, there } = await firstRun(service)
    const attempt = givenBack(service, run)
    expect(await here.report(attempt)).toEqual(accepted)
    expect(await here.claim()).toEqual([])
    expect(await there.claim()).toEqual([
      {
        ...run,
        location: there.slugName,
        attempt: 2,
        attemptAt: service.clock.now(),
        firstStartedAt: attempt.startedAt,
      },
    ])
    expect(await here.lost(run)).toEqual([run.id])
  })

  test('moves the status with its FINAL result alone, wherever that was made', async () => {
    const { checkId, run, here, there } = await firstRun(service)
    await here.report(givenBack(service, run))
    expect(await statusOf(checkId)).toBeNull()
    const second = first(await there.claim())
    service.clock.advance(2000)
    expect(await there.report(passingResult(second, service.clock.now()))).toEqual(accepted)
    expect(await statusOf(checkId)).toMatchObject({ hasFailures: false, lastRunLocation: there.slugName })
    expect(await resultsOf(checkId)).toMatchObject([
      { resultType: 'ATTEMPT', runLocation: here.slugName, hasFailures: true, sequenceId: run.id },
      { resultType: 'FINAL', runLocation: there.slugName, hasFailures: false, sequenceId: run.id },
    ])
    expect(await ledger(run.id)).toMatchObject({
      id: runIdOf(checkId, here.slugName, run.dueAt),
      outcome: 'passed',
      slotLocation: here.slugName,
      location: there.slugName,
    })
  })

  test('wakes the claims that wait, to be answered at the other location', async () => {
    const { run, here, there } = await firstRun(service)
    const waiting = there.claim({ waitMs: 30_000 })
    const woken = service.planned.wait(hourMs, AbortSignal.timeout(hourMs))
    await here.report(givenBack(service, run))
    await woken
    expect((await waiting).map(({ id, attempt }) => [id, attempt])).toEqual([[run.id, 2]])
  })

  test('waits for the time of its retry', async () => {
    const { run, here, there } = await firstRun(service)
    await here.report(givenBack(service, run, 10_000))
    expect(await there.claim()).toEqual([])
    service.clock.advance(10_000)
    expect((await there.claim()).map(({ id }) => id)).toEqual([run.id])
  })

  test('whose result was long on its way is not late, nor given up, for that', async () => {
    const { run, here, there } = await firstRun(service)
    const attempt = givenBack(service, run)
    service.clock.advance(20 * minuteMs)
    await there.claim()
    await here.report(attempt)
    await expire()
    expect(first(await there.claim())).toMatchObject({ id: run.id, attemptAt: service.clock.now() })
  })

  test('comes back for a third attempt', async () => {
    const { checkId, run, here, there } = await firstRun(service)
    await here.report(givenBack(service, run))
    const second = first(await there.claim())
    service.clock.advance(1000)
    expect(await there.report(givenBack(service, second))).toEqual(accepted)
    const third = first(await here.claim())
    expect(third).toMatchObject({
      id: run.id,
      location: here.slugName,
      attempt: 3,
      firstStartedAt: second.firstStartedAt,
    })
    expect(await ledger(run.id)).toMatchObject({ slotLocation: null, location: here.slugName })
    service.clock.advance(1000)
    await here.report(passingResult(third, service.clock.now()))
    expect(await resultsOf(checkId)).toMatchObject([
      { resultType: 'ATTEMPT', runLocation: here.slugName },
      { resultType: 'ATTEMPT', runLocation: there.slugName },
      { resultType: 'FINAL', runLocation: here.slugName },
    ])
  })

  test('stays where it was when nobody asked for runs elsewhere within a minute', async () => {
    const { run, here, there } = await firstRun(service)
    service.clock.advance(61_000)
    await here.report(givenBack(service, run))
    expect(await there.claim()).toEqual([])
    expect(first(await here.claim())).toMatchObject({ id: run.id, location: here.slugName, attempt: 2 })
  })

  test('stays where it was when the agents elsewhere cannot carry it out', async () => {
    const { run, here, there } = await firstRun(service)
    service.clock.advance(61_000)
    const capabilities = {
      version: '1',
      flavour: 'uptime',
      checkTypes: ['TCP'],
      runtimes: [],
      platform: 'p',
      runtimeVersion: 'v26',
    }
    await there.claim({ capabilities })
    await here.report(givenBack(service, run))
    expect(first(await here.claim())).toMatchObject({ id: run.id, attempt: 2 })
  })

  test('stays where it was when its check runs everywhere at once by now', async () => {
    const { checkId, run, here } = await firstRun(service)
    const { body } = await service.api('GET', `/v1/checks/${checkId}`)
    const changed = await service.api('PUT', `/v1/checks/api/${checkId}`, {
      ...JSON.parse(body),
      runParallel: true,
    })
    expect(changed.statusCode, changed.body).toBe(200)
    await here.report(givenBack(service, run))
    expect((await ledger(run.id)).location).toBe(here.slugName)
  })

  test('of a session of checks is shown where it ended', async () => {
    const { checkId, here, there } = await firstRun(service)
    const started = await service.api('POST', '/v1/check-sessions/trigger', {
      target: { checkId: [checkId] },
    })
    const [session] = started.json().sessions
    const before = await here.claim()
    const [from, to] = before.length > 0 ? [here, there] : [there, here]
    await from.report(givenBack(service, first([...before, ...(await from.claim())])))
    const second = first(await to.claim())
    expect(second.location).toBe(to.slugName)
    await to.report(passingResult(second, service.clock.now()))
    const shown = await service.api('GET', `/v1/check-sessions/${session.checkSessionId}`)
    expect(shown.json()).toMatchObject({
      status: 'PASSED',
      results: [
        { runLocation: from.slugName, resultType: 'ATTEMPT' },
        { runLocation: to.slugName, resultType: 'FINAL' },
      ],
    })
  })
})

describe('what comes twice or late', () => {
  test('the same upload again makes no second attempt and is not refused, however far the run has come', async () => {
    const { checkId, run, here, there } = await firstRun(service)
    const attempt = givenBack(service, run)
    const again = () => here.report(attempt, attempt)
    await again()
    expect(await again()).toEqual({ accepted: 2, refused: [] })
    const second = first(await there.claim())
    await again()
    expect(await there.lost(second)).toEqual([])
    await there.report(passingResult(second, service.clock.now()))
    expect(await again()).toEqual({ accepted: 2, refused: [] })
    expect(await there.claim()).toEqual([])
    expect(await ledger(run.id)).toMatchObject({ outcome: 'passed', attempt: 2 })
    expect(await resultsOf(checkId)).toHaveLength(2)
  })

  test('an attempt from where the run was between is stored once it is a third location’s', async () => {
    const agent = await agentAt(service, 'lab')
    await agent.claim()
    const { run, here, there } = await firstRun(service, { privateLocations: ['office', 'depot', 'lab'] })
    const order = [here, there, agent].toSorted(
      (a, b) =>
        ['office', 'depot', 'lab'].indexOf(a.slugName) - ['office', 'depot', 'lab'].indexOf(b.slugName),
    )
    const at = order.indexOf(here)
    const [second, third] = [order[(at + 1) % 3] ?? here, order[(at + 2) % 3] ?? here]
    await agent.claim()
    await here.report(givenBack(service, run))
    const attempt = givenBack(service, first(await second.claim()))
    expect(await second.report(attempt)).toEqual(accepted)
    expect(await second.report(attempt)).toEqual(accepted)
    expect(first(await third.claim())).toMatchObject({ id: run.id, attempt: 3 })
  })

  test('a run whose lease ended meanwhile is moved once: the attempt of the next agent there is stored and no more', async () => {
    const { checkId, run, here, there } = await firstRun(service)
    const beside = await agentAt(service, here.slugName, 2)
    service.clock.advance(61_000)
    const again = first(await beside.claim())
    expect(again).toMatchObject({ id: run.id, attempt: 1 })
    await there.claim()
    await here.report(givenBack(service, run))
    expect(await beside.lost(again)).toEqual([run.id])
    expect(await beside.report(givenBack(service, again))).toEqual(accepted)
    expect((await there.claim()).map(({ id, attempt }) => [id, attempt])).toContainEqual([run.id, 2])
    const ofRun = (await resultsOf(checkId)).filter(({ sequenceId }) => sequenceId === run.id)
    expect(ofRun).toHaveLength(1)
  })

  test('what the next agent there saw to its end stands, and the other location has nothing to do', async () => {
    const { run, here, there } = await firstRun(service)
    const beside = await agentAt(service, here.slugName, 2)
    service.clock.advance(61_000)
    const again = first(await beside.claim())
    await there.claim()
    await here.report(givenBack(service, run))
    const second = (await there.claim()).filter(({ id }) => id === run.id)
    expect(second).toHaveLength(1)
    expect(await beside.report(passingResult(again, service.clock.now()))).toEqual(accepted)
    expect(await there.lost(...second)).toEqual([run.id])
    expect(await there.report(resultOf(first(second), service.clock.now(), 'failing'))).toEqual(accepted)
    expect(await ledger(run.id)).toMatchObject({ outcome: 'passed' })
  })

  test('a retry whose agent died is another’s at the same location when the lease has ended', async () => {
    const { run, here, there } = await firstRun(service)
    await here.report(givenBack(service, run))
    const second = first(await there.claim())
    const beside = await agentAt(service, there.slugName, 2)
    const ofRun = async (claiming: ReturnType<typeof beside.claim>) =>
      (await claiming).filter(({ id }) => id === run.id)
    expect(await ofRun(beside.claim())).toEqual([])
    service.clock.advance(61_000)
    expect(await ofRun(here.claim())).toEqual([])
    expect(await ofRun(beside.claim())).toEqual([second])
  })
})

describe('a retry that nobody comes for', () => {
  test('ends as its last attempt did: what was seen is not missed', async () => {
    const { checkId, run, here, there } = await firstRun(service)
    await here.report(givenBack(service, run))
    service.clock.advance(6 * minuteMs + 1000)
    await expire()
    expect(await ledger(run.id)).toMatchObject({ state: 'done', outcome: 'failed', reason: null })
    expect(await statusOf(checkId)).toMatchObject({ hasFailures: true, lastRunLocation: here.slugName })
    expect(await resultsOf(checkId)).toMatchObject([
      { resultType: 'FINAL', runLocation: here.slugName, hasFailures: true },
    ])
    const second = { ...run, location: there.slugName, attempt: 2 }
    expect(await there.report(passingResult(second, service.clock.now()))).toEqual(accepted)
    expect(await ledger(run.id)).toMatchObject({ outcome: 'failed' })
    expect(await resultsOf(checkId)).toHaveLength(1)
  })

  test('is left to the agent that came for it at the last moment', async () => {
    const { run, here, there } = await firstRun(service)
    await here.report(givenBack(service, run))
    service.clock.advance(6 * minuteMs + 1000)
    const second = (await there.claim()).filter(({ id }) => id === run.id)
    await expire()
    expect(await ledger(run.id)).toMatchObject({ state: 'leased', outcome: null })
    await there.report(passingResult(first(second), service.clock.now()))
    expect(await ledger(run.id)).toMatchObject({ outcome: 'passed' })
  })

  test('is missed when its agent is gone with it: that one may yet tell what it saw', async () => {
    const { run, here, there } = await firstRun(service)
    await here.report(givenBack(service, run))
    const second = first(await there.claim())
    service.clock.advance(8 * minuteMs)
    await expire()
    expect(await ledger(run.id)).toMatchObject({ outcome: 'missed', reason: 'not-claimed' })
    await there.report(passingResult(second, service.clock.now()))
    expect(await ledger(run.id)).toMatchObject({ outcome: 'passed', reason: null })
  })
})

describe('a key', () => {
  const notOurs = { accepted: 0, refused: [{ index: 0, reason: "the run is not of this key's location" }] }

  test('of another location cannot speak for a run that was never there, before its retry or after', async () => {
    const { run, here, there } = await firstRun(service)
    const stranger = await agentAt(service, 'lab')
    expect(await there.report(passingResult(run, service.clock.now()))).toEqual(notOurs)
    const lie = { ...passingResult(run, service.clock.now()), location: there.slugName }
    expect(await there.report(lie)).toMatchObject({
      accepted: 0,
      refused: [{ reason: expect.stringContaining('"location"') }],
    })
    await here.report(givenBack(service, run))
    for (const location of ['lab', here.slugName, there.slugName]) {
      const result = { ...passingResult({ ...run, attempt: 2 }, service.clock.now()), location }
      expect(await stranger.report(result)).toMatchObject({ accepted: 0 })
    }
    expect(await ledger(run.id)).toMatchObject({ state: 'pending', outcome: null })
  })

  test('cannot send a FINAL result on', async () => {
    const { run, here } = await firstRun(service)
    const result = { ...passingResult(run, service.clock.now()), retryElsewhere: true }
    expect(await here.report(result)).toMatchObject({
      refused: [{ reason: '"retryElsewhere" goes with an ATTEMPT, and only with it' }],
    })
  })
})

test('agents learn of each check whether its retries are theirs to make', async () => {
  const { checkId, here } = await firstRun(service)
  expect(await here.definitions(checkId)).toMatchObject([{ retriesElsewhere: true }])
  const alone = await firstRun(service, { retryStrategy: null })
  expect(await alone.here.definitions(alone.checkId)).toMatchObject([{ retriesElsewhere: false }])
})

test('the retry of a test stays at the location of its session, whatever its check and its agent say', async () => {
  const agent = onDemand(service)
  const locations = ['eu-west-1', 'us-east-1']
  const checkId = await agent.createCheck({ locations, retryStrategy: elsewhere })
  const target = { checkId: [checkId] }
  const session = { name: 'release', target, runLocation: 'eu-west-1' }
  const started = await service.api('POST', '/v1/test-sessions/trigger', session)
  expect(started.statusCode, started.body).toBe(201)
  const run = first(await agent.claim())
  const [asItIs, tested] = (
    await service.agent('definitions', { checkIds: [checkId, run.checkId] })
  ).json<DefinitionsResponse>().definitions
  expect([asItIs?.checkId, asItIs?.retriesElsewhere]).toEqual([checkId, true])
  expect([tested?.checkId, tested?.retriesElsewhere]).toEqual([run.checkId, false])
  await agent.report(run, 'failing', givenBack(service, run))
  expect(first(await agent.claim())).toMatchObject({ id: run.id, location: 'eu-west-1', attempt: 2 })
})

test('the agent of all data-center locations is given the run back for the other one', async () => {
  const agent = onDemand(service)
  const checkId = await agent.createCheck({ locations: ['eu-west-1', 'us-east-1'], retryStrategy: elsewhere })
  await service.api('POST', '/v1/check-sessions/trigger', { target: { checkId: [checkId] } })
  const run = first(await agent.claim())
  await agent.report(run, 'failing', givenBack(service, run))
  const second = first(await agent.claim())
  expect(second).toMatchObject({ id: run.id, attempt: 2 })
  expect([run.location, second.location].toSorted()).toEqual(['eu-west-1', 'us-east-1'])
})

test('a result of an agent of an earlier version, which does not know of it, is retried where it is', async () => {
  const { run, here } = await firstRun(service)
  const { retryElsewhere: _unknown, ...result } = givenBack(service, run)
  expect(await here.report(JSON.parse(JSON.stringify(result)))).toEqual(accepted)
  expect(await ledger(run.id)).toMatchObject({ state: 'leased', location: here.slugName, attempt: 2 })
})
