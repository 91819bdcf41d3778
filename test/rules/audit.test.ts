import { describe, expect, test } from 'vitest'
import {
  auditSlots,
  expectedSlots,
  isExpectedAt,
  type LedgerRun,
  noSlots,
  type ScheduleVersion,
  versionsIn,
} from '../../src/rules/audit.ts'

const version = (changes: Partial<ScheduleVersion> = {}): ScheduleVersion => ({
  fromMs: 0,
  state: 'active',
  intervalMs: 10,
  phaseMs: 3,
  runParallel: false,
  locations: ['a', 'b'],
  ...changes,
})
const all = { fromMs: 0, untilMs: 99 }
const run = (dueAt: number, location: string, outcome: LedgerRun['outcome'] = 'passed'): LedgerRun => ({
  dueAt,
  location,
  outcome,
  reason: null,
})

describe('the versions of a schedule', () => {
  test('each hold from behind their change up to the next one, and include its instant', () => {
    const versions = [
      version({ fromMs: 20 }),
      version({ fromMs: 50, state: 'inactive' }),
      version({ fromMs: 80 }),
    ]
    expect(versionsIn(versions, all).map(({ fromMs, untilMs }) => [fromMs, untilMs])).toEqual([
      [21, 50],
      [51, 80],
      [81, 99],
    ])
    expect(versionsIn(versions, { fromMs: 51, untilMs: 60 })).toMatchObject([{ fromMs: 51, untilMs: 60 }])
    expect(versionsIn(versions, { fromMs: 0, untilMs: 20 })).toEqual([])
  })

  test.each([
    [{}, 10],
    [{ runParallel: true }, 20],
    [{ runParallel: true, locations: ['a', 'b', 'a'] }, 20],
    [{ state: 'inactive' }, 0],
    [{ state: 'deleted' }, 0],
    [{ locations: [] }, 0],
  ] as const)('one with %j has %i slots', (changes, slots) => {
    const [span] = versionsIn([version({ fromMs: -1, ...changes })], all)
    expect(span && expectedSlots(span)).toBe(slots)
  })
})

describe('an audit', () => {
  const spans = versionsIn([version({ fromMs: -1 })], { fromMs: 0, untilMs: 39 })
  // Tick n is at 3 + 10 n and its turn is n + 3.
  const whole = [run(3, 'b'), run(13, 'a', 'degraded'), run(23, 'b', 'failed'), run(33, 'a', 'errored')]

  test('finds nothing where each slot has an outcome', () => {
    const counts = noSlots()
    expect(auditSlots(spans, { runs: whole, missed: [], nextDueAt: 43 }, counts)).toEqual([])
    expect(counts).toMatchObject({ expected: 4, passed: 1, degraded: 1, failed: 1, errored: 1, gaps: 0 })
  })

  test('names a slot without one, also when its run is at another place or tick', () => {
    const counts = noSlots()
    const runs = [run(3, 'a'), run(14, 'a'), ...whole.slice(2)]
    const gaps = auditSlots(spans, { runs, missed: [], nextDueAt: null }, counts)
    expect(gaps).toEqual([
      { dueAt: 3, location: 'b' },
      { dueAt: 13, location: 'a' },
    ])
    expect(counts.gaps).toBe(2)
  })

  test('takes slots that were missed together, but what was seen of one before that', () => {
    const counts = noSlots()
    const missed = [{ fromMs: 3, untilMs: 23, reason: 'service-down' }]
    expect(auditSlots(spans, { runs: whole.slice(2), missed, nextDueAt: null }, counts)).toEqual([])
    expect(counts.missed).toEqual(new Map([['service-down', 2]]))
    expect(counts).toMatchObject({ failed: 1, errored: 1 })
  })

  test('tells what is open, and what the planner has not come to, from a gap', () => {
    const counts = noSlots()
    const runs = [run(3, 'b', null)]
    const gaps = auditSlots(spans, { runs, missed: [], nextDueAt: 23 }, counts)
    expect(gaps).toEqual([{ dueAt: 13, location: 'a' }])
    expect(counts).toMatchObject({ open: 1, unplanned: 2, gaps: 1 })
  })

  test('knows whose turn it is by its number, and everybody’s where all run at once', () => {
    expect(isExpectedAt(version(), 0, 'a')).toBe(true)
    expect(isExpectedAt(version(), 1, 'a')).toBe(false)
    expect(isExpectedAt(version(), -1, 'a')).toBe(false)
    expect(isExpectedAt(version({ runParallel: true }), 0, 'b')).toBe(true)
    expect(isExpectedAt(version({ state: 'inactive' }), 0, 'a')).toBe(false)
  })
})
