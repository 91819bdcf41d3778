import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Downtime, deadlineAt, failsAt } from '../../src/rules/heartbeat-deadline.ts'
import { tellHeartbeat, waitingForFirstPing } from '../../src/rules/heartbeat-state.ts'

const timing = { periodMs: 80, graceMs: 20 }
const spanMs = 100

const cases: readonly (readonly [string, Downtime[], number])[] = [
  ['is period and grace after the last ping', [], 100],
  ['does not move for a downtime before the last ping', [{ from: -50, to: 0 }], 100],
  ['does not move for one in the first half: the next ping but one is in time', [{ from: 10, to: 50 }], 100],
  ['is a whole span after a downtime that reaches into the second half', [{ from: 40, to: 60 }], 160],
  ['is a whole span after a downtime that it fell into', [{ from: 90, to: 500 }], 600],
  ['does not move for a downtime behind it', [{ from: 101, to: 500 }], 100],
  [
    'moves for each that ends in the second half',
    [
      { from: 60, to: 61 },
      { from: 70, to: 71 },
    ],
    171,
  ],
  [
    'moves for one that may have hidden what followed a ping that the first had hidden',
    [
      { from: 1, to: 158 },
      { from: 165, to: 173 },
      { from: 175, to: 184 },
    ],
    284,
  ],
  [
    'moves again for a downtime a span later',
    [
      { from: 60, to: 61 },
      { from: 150, to: 151 },
    ],
    251,
  ],
  [
    'moves by no more than the downtime after two spans alive',
    [
      { from: 99, to: 101 },
      { from: 199, to: 201 },
      { from: 299, to: 301 },
    ],
    303,
  ],
]
test.each(cases)('%s', (_promise, downtimes, deadline) => {
  expect(deadlineAt(0, timing, downtimes)).toBe(deadline)
})

const downtimesOf = (longest: number) =>
  fc
    .array(fc.tuple(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: longest })), {
      maxLength: 12,
    })
    .map((gaps) => {
      let at = 0
      return gaps.map(([alive, down]) => {
        const from = at + alive
        at = from + down
        return { from, to: at }
      })
    })

test('a job that pings at regular intervals never fails for what our downtimes swallow, up to two pings in a row', () => {
  fc.assert(
    fc.property(downtimesOf(1000), fc.integer({ min: 1, max: spanMs }), (downtimes, everyMs) => {
      const heard: number[] = []
      let lostInARow = 0
      let end = 0
      for (let at = 0; at < 6000; at += everyMs) {
        const inDowntime = downtimes.find(({ from, to }) => from <= at && at <= to)
        const before = downtimes.find(({ from, to }) => from <= at - everyMs && at - everyMs <= to)
        if (!inDowntime) heard.push(at)
        // Pings of one downtime are lost together.
        if (!inDowntime) lostInARow = 0
        else if (inDowntime !== before) lostInARow += 1
        if (lostInARow > 2) break
        end = at
      }
      const { moves } = tellHeartbeat(waitingForFirstPing, {
        timing,
        downtimes: downtimes.filter(({ from }) => from <= end),
        pings: heard.filter((at) => at <= end).map((at) => ({ at, fails: false })),
        until: end,
      })
      expect(moves.filter(({ state }) => state === 'FAILING')).toEqual([])
    }),
    { numRuns: 5000 },
  )
})

test('a silent job fails, however often we start again: at the latest when we were alive for three spans', () => {
  fc.assert(
    fc.property(downtimesOf(50), (downtimes) => {
      const deadline = deadlineAt(0, timing, downtimes)
      const down = downtimes.reduce(
        (sum, { from, to }) => sum + Math.max(0, Math.min(to, deadline) - Math.min(from, deadline)),
        0,
      )
      expect(deadline - down).toBeLessThanOrEqual(3 * spanMs)
      expect(deadline).toBeGreaterThanOrEqual(spanMs)
    }),
    { numRuns: 2000 },
  )
})

describe('maintenance', () => {
  /** Open from and up to, not including. */
  const holds =
    (...windows: readonly (readonly [number, number])[]) =>
    (at: number) =>
      windows.find(([from, to]) => from <= at && at < to)?.[1] ?? null

  test.each([
    ['that is over when the ping is expected changes nothing', holds([10, 80]), 100],
    ['that begins and ends within the grace changes nothing', holds([81, 99]), 100],
    ['that is open when the ping is expected counts as a ping at its end', holds([80, 81]), 181],
    ['that is open at the deadline counts as a ping at its end', holds([100, 500]), 600],
    ['that begins after the deadline changes nothing', holds([101, 500]), 100],
    ['holds a job twice, and the third time until it is over', holds([90, 150], [240, 300], [390, 450]), 450],
    [
      'that then holds it again does so until it is over',
      holds([90, 150], [240, 300], [390, 450], [450, 470]),
      470,
    ],
  ])('%s', (_promise, heldUntil, deadline) => {
    expect(failsAt(0, timing, { downtimes: [], heldUntil })).toBe(deadline)
  })

  test('and a downtime after it both count', () => {
    const downtimes = [{ from: 560, to: 590 }]
    expect(failsAt(0, timing, { downtimes, heldUntil: holds([90, 500]) })).toBe(690)
  })

  test('that never ends holds a job for as long as can be looked through', () => {
    expect(failsAt(0, timing, { downtimes: [], heldUntil: (at) => at + 1000 })).toBeGreaterThan(10_000)
  })
})

test.each([
  ['fails for none that is not seen', [], null],
  ['fails at its deadline for the run before it', [40], 100],
  ['fails for a run at its deadline', [100], 100],
  ['does not fail for a run that others followed before its deadline', [20], null],
  ['fails when a run after its deadline failed', [20, 130, 150], 130],
] as const)('a heartbeat that is run %s', (_promise, failedRunsAt, expected) => {
  expect(failsAt(0, timing, { downtimes: [{ from: 60, to: 5000 }], failedRunsAt })).toBe(expected)
})
