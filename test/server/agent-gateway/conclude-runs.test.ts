import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Conclusion, Result } from '../../../src/contract/result.ts'
import { resultIdOf } from '../../../src/contract/run-ids.ts'
import { concludeRuns } from '../../../src/server/agent-gateway/conclude-runs.ts'
import type { Schema } from '../../../src/storage/schema.ts'
import { finishedResult } from '../../support/finished-result.ts'
import { runRow, t0 } from '../../support/storage-rows.ts'

type RunRow = Schema['checkRuns']

const leased = runRow({ state: 'leased', agentId: 'an agent', leaseUntil: t0 + 60_000 })
const missed: Conclusion = { kind: 'missed', reason: 'late' }
const errored: Conclusion = {
  kind: 'errored',
  reason: 'agent-fault',
  message: 'an unexpected fault of the agent',
}

function resultOf(run: RunRow, changes: Partial<Result> = {}): Result {
  const attempt = changes.attempt ?? 1
  const { id: runId, checkId, dueAt } = run
  const times = { dueAt, startedAt: dueAt, stoppedAt: dueAt + 10 }
  return finishedResult({ runId, checkId, id: resultIdOf(runId, attempt), ...times, ...changes })
}

const attemptOf = (run: RunRow, attempt: number): Result =>
  resultOf(run, { attempt, resultType: 'ATTEMPT', retryAt: t0 + attempt * 1000, startedAt: t0 + attempt })

const givenBackOf = (run: RunRow, attempt: number): Result => ({
  ...attemptOf(run, attempt),
  retryElsewhere: true,
})

const nextOf: Readonly<Record<string, string>> = {
  'eu-west-1': 'office',
  office: 'us-east-1',
  'us-east-1': 'eu-west-1',
}

const settle = (run: RunRow, ...results: readonly Result[]) =>
  concludeRuns(
    results.map((result) => ({ run, result })),
    { agentId: 'an agent', now: t0 + 5000 },
    ({ location }) => nextOf[location] ?? location,
  )

test('attempts and the final result of one batch make one run, a result each', () => {
  const { runs, rows, finals } = settle(
    leased,
    attemptOf(leased, 1),
    attemptOf(leased, 2),
    resultOf(leased, { attempt: 3 }),
  )
  expect(runs).toEqual([
    {
      ...leased,
      state: 'done',
      outcome: 'passed',
      reason: null,
      leaseUntil: null,
      finishedAt: t0 + 5000,
      attempt: 3,
      attemptAt: t0 + 2000,
      firstStartedAt: t0 + 1,
    },
  ])
  expect(rows.map(({ attempt, resultType }) => [attempt, resultType])).toEqual([
    [1, 'ATTEMPT'],
    [2, 'ATTEMPT'],
    [3, 'FINAL'],
  ])
  expect(finals).toHaveLength(1)
})

test('a run that nobody has is leased to the agent that makes its next attempt', () => {
  const waiting = runRow()
  const { runs } = settle(waiting, attemptOf(waiting, 1))
  expect(runs).toMatchObject([
    { state: 'leased', agentId: 'an agent', leaseUntil: t0 + 1000 + 60_000, attempt: 2 },
  ])
})

test('what is given back waits at the next place for whoever is there, and stays the slot that it is', () => {
  const [moved] = settle(leased, givenBackOf(leased, 1)).runs
  expect(moved).toEqual({
    ...leased,
    state: 'pending',
    agentId: null,
    leaseUntil: null,
    location: 'office',
    dataCenter: 0,
    slotLocation: 'eu-west-1',
    attempt: 2,
    attemptAt: t0 + 5000,
    firstStartedAt: t0 + 1,
  })
  if (!moved) throw new Error('nothing changed')
  const [third] = settle(moved, givenBackOf(moved, 2)).runs
  expect(third).toMatchObject({ location: 'us-east-1', dataCenter: 1, slotLocation: 'eu-west-1', attempt: 3 })
  if (!third) throw new Error('nothing changed')
  const [home] = settle(third, givenBackOf(third, 3)).runs
  expect(home).toMatchObject({ location: 'eu-west-1', dataCenter: 1, slotLocation: null, attempt: 4 })
})

test('a retry is due when it is to be made, or when it was given back, whichever is later', () => {
  const later = { ...givenBackOf(leased, 1), retryAt: t0 + 60_000 }
  expect(settle(leased, later).runs).toMatchObject([{ attemptAt: t0 + 60_000 }])
})

test('a run that waits at another place is not leased to who goes on with it where it was', () => {
  const [moved] = settle(leased, givenBackOf(leased, 1)).runs
  if (!moved) throw new Error('nothing changed')
  expect(settle(moved, attemptOf(moved, 2)).runs).toMatchObject([
    { state: 'pending', location: 'office', attempt: 3 },
  ])
})

test('an attempt that comes again, or after a later one, sends no run back', () => {
  const once = settle(leased, attemptOf(leased, 1), attemptOf(leased, 2))
  const again = settle(
    leased,
    attemptOf(leased, 1),
    attemptOf(leased, 2),
    attemptOf(leased, 1),
    attemptOf(leased, 2),
  )
  expect(again).toEqual(once)
})

test('the same attempt, made twice and the second time the last, is one FINAL result', () => {
  const { rows } = settle(leased, attemptOf(leased, 1), resultOf(leased))
  expect(rows.map(({ id, resultType }) => [id, resultType])).toEqual([[resultIdOf(leased.id, 1), 'FINAL']])
})

test('what was seen outranks a miss; an error of ours and another miss do not', () => {
  const given = runRow({ state: 'done', outcome: 'missed', reason: 'not-claimed', finishedAt: t0 })
  expect(settle(given, resultOf(given)).runs[0]).toMatchObject({ outcome: 'passed', reason: null })
  expect(settle(given, resultOf(given, { conclusion: errored })).runs).toEqual([])
  expect(settle(given, resultOf(given, { conclusion: missed })).runs).toEqual([])
})

test('a missed run has an outcome and no result', () => {
  const { runs, rows, finals } = settle(leased, resultOf(leased, { conclusion: missed }))
  expect(runs[0]).toMatchObject({ state: 'done', outcome: 'missed', reason: 'late' })
  expect(rows).toEqual([])
  expect(finals).toHaveLength(1)
})

const someResult = fc
  .record({
    attempt: fc.integer({ min: 1, max: 3 }),
    kind: fc.constantFrom('attempt', 'given back', 'seen', 'missed', 'errored'),
  })
  .map(({ attempt, kind }) => {
    if (kind === 'attempt') return attemptOf(leased, attempt)
    if (kind === 'given back') return givenBackOf(leased, attempt)
    if (kind === 'seen') return resultOf(leased, { attempt })
    return resultOf(leased, { attempt, conclusion: kind === 'missed' ? missed : errored })
  })

test('however a batch is cut into uploads, the run ends the same, with one final outcome that was seen or none', () => {
  fc.assert(
    fc.property(fc.array(someResult, { maxLength: 8 }), fc.nat(8), (results, cut) => {
      const whole = settle(leased, ...results)
      const first = settle(leased, ...results.slice(0, cut))
      const between = first.runs[0] ?? leased
      const second = settle(between, ...results.slice(cut))
      expect(second.runs[0] ?? between).toEqual(whole.runs[0] ?? leased)
      expect([...first.finals, ...second.finals].map(({ result }) => result)).toEqual(
        whole.finals.map(({ result }) => result),
      )
      const seen = whole.finals.filter(({ result }) => result.conclusion.kind !== 'missed')
      expect(seen.length).toBeLessThanOrEqual(1)
    }),
  )
})
