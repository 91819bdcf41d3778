import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { HeartbeatEventState } from '../../src/contract/resources/heartbeat-event.ts'
import { type HeartbeatState, tellHeartbeat, waitingForFirstPing } from '../../src/rules/heartbeat-state.ts'

const secondMs = 1000
const minuteMs = 60_000
const timing = { periodMs: 10 * minuteMs, graceMs: 2 * minuteMs }

interface Sent {
  readonly at: number
  readonly fails: boolean
}

const success = (at: number): Sent => ({ at, fails: false })
const failure = (at: number): Sent => ({ at, fails: true })

function story(pings: readonly Sent[], until = 0, before: HeartbeatState = waitingForFirstPing) {
  return tellHeartbeat(before, { timing, downtimes: [], pings, until })
}
const told = (pings: readonly Sent[], until?: number) =>
  story(pings, until).moves.map(({ state, at }) => [state, at / minuteMs])

test('nothing is expected before the first ping', () => {
  expect(told([], Number.MAX_SAFE_INTEGER)).toEqual([])
})

const after: readonly (readonly [minutes: number, state: HeartbeatEventState])[] = [
  [1, 'EARLY'],
  [9.89, 'EARLY'],
  [9.9, 'RECEIVED'],
  [10, 'RECEIVED'],
  [10.1, 'RECEIVED'],
  [10.11, 'GRACE'],
  [12, 'GRACE'],
]
test.each(after)(
  'a ping %d minutes after one, of a period of 10 and a grace of 2, is %s',
  (minutes, state) => {
    expect(told([success(0), success(minutes * minuteMs)])).toEqual([
      ['RECEIVED', 0],
      [state, minutes],
    ])
  },
)

test('it fails when period and grace have passed, and at no earlier millisecond', () => {
  const deadline = 12 * minuteMs
  expect(told([success(0)], deadline)).toEqual([['RECEIVED', 0]])
  expect(told([success(0)], deadline + 1)).toEqual([
    ['RECEIVED', 0],
    ['FAILING', 12],
  ])
})

test('each alert moves the next expected time, and the ping that ends a failure is late', () => {
  expect(told([success(0), success(30 * minuteMs), success(40 * minuteMs)])).toEqual([
    ['RECEIVED', 0],
    ['FAILING', 12],
    ['FAILING', 24],
    ['LATE', 30],
    ['RECEIVED', 40],
  ])
})

test('a job that says that it failed fails at once, and its next ping is in time when it comes in time', () => {
  const { moves, state } = story([success(0), failure(5 * minuteMs), success(15 * minuteMs)])
  expect(moves.map((move) => move.state)).toEqual(['RECEIVED', 'FAILING', 'RECEIVED'])
  expect(state).toEqual({ anchorAt: 15 * minuteMs, failing: 'no' })
})

test('a failure that was reported and one of silence are told apart', () => {
  expect(story([failure(0)]).state.failing).toBe('reported')
  expect(story([failure(0)], 13 * minuteMs).state.failing).toBe('missed')
})

test('a year of half minutes that comes to us at once is told by its first failures and its last', () => {
  const of = { periodMs: 30 * secondMs, graceMs: 0 }
  const yearMs = 365 * 24 * 60 * minuteMs
  const { moves, state } = tellHeartbeat(waitingForFirstPing, {
    timing: of,
    downtimes: [],
    pings: [success(0)],
    until: yearMs,
  })
  expect(moves.length).toBe(302)
  expect(moves.at(-2)?.at).toBe(300 * 30 * secondMs)
  expect(moves.at(-1)).toEqual({ state: 'FAILING', at: yearMs - 30 * secondMs, ping: null })
  expect(state).toEqual({ anchorAt: yearMs - 30 * secondMs, failing: 'missed' })
})

test('silences beyond the first failures of a story are told by one failure each', () => {
  const of = { periodMs: 30 * secondMs, graceMs: 0 }
  const dayMs = 24 * 60 * minuteMs
  const pings = Array.from({ length: 31 }, (_, day) => success(day * dayMs))
  const course = { timing: of, downtimes: [], pings, until: 31 * dayMs }
  const { moves } = tellHeartbeat(waitingForFirstPing, course)
  expect(moves.length).toBe(31 + 300 + 31)
  expect(moves.filter(({ state }) => state === 'LATE')).toHaveLength(30)
})

const pingsOfAnHour = fc
  .array(fc.record({ at: fc.integer({ min: 0, max: 3600 }), fails: fc.boolean() }), { maxLength: 30 })
  .map((pings) => {
    const once = new Map(pings.map(({ at, fails }) => [at, { at: at * secondMs, fails }]))
    return [...once.values()].toSorted((a, b) => a.at - b.at)
  })
const timings = fc.record({
  periodMs: fc.integer({ min: 30, max: 900 }).map((seconds) => seconds * secondMs),
  graceMs: fc.integer({ min: 0, max: 300 }).map((seconds) => seconds * secondMs),
})

interface Timing {
  readonly periodMs: number
  readonly graceMs: number
}

function seenOf(ping: Sent, expectedAt: number | null, silent: boolean, { periodMs }: Timing): string {
  if (ping.fails) return 'FAILING'
  if (silent) return 'LATE'
  const close = Math.min(minuteMs, Math.max(secondMs, periodMs / 100))
  const offMs = ping.at - (expectedAt ?? ping.at)
  if (Math.abs(offMs) <= close) return 'RECEIVED'
  return offMs < 0 ? 'EARLY' : 'GRACE'
}

/** The rule of semantics §7 as a watch that looks once a second. */
function watched(of: Timing, pings: readonly Sent[], untilMs: number): string[] {
  const seen: string[] = []
  let expectedAt: number | null = null
  let silent = false
  for (let at = 0; at < untilMs; at += secondMs) {
    const ping = pings.find((one) => one.at === at)
    // A ping of this second comes in time.
    const over: boolean = !ping && expectedAt !== null && at === expectedAt + of.graceMs
    if (!ping && !over) continue
    seen.push(`${ping ? seenOf(ping, expectedAt, silent, of) : 'FAILING'} ${at}`)
    silent = over
    expectedAt = at + of.periodMs
  }
  return seen
}

test('is what a watch sees that looks every second', () => {
  fc.assert(
    fc.property(timings, pingsOfAnHour, (of, pings) => {
      const until = 2 * 3600 * secondMs
      const { moves } = tellHeartbeat(waitingForFirstPing, { timing: of, downtimes: [], pings, until })
      expect(moves.map(({ state, at }) => `${state} ${at}`)).toEqual(watched(of, pings, until))
    }),
  )
})

test('is the same story, told at once or one by one', () => {
  fc.assert(
    fc.property(timings, pingsOfAnHour, (of, pings) => {
      const until = 2 * 3600 * secondMs
      const course = { timing: of, downtimes: [] }
      const whole = tellHeartbeat(waitingForFirstPing, { ...course, pings, until })
      const moves: unknown[] = []
      let state = waitingForFirstPing
      for (const ping of pings) {
        const part = tellHeartbeat(state, { ...course, pings: [ping], until: ping.at })
        moves.push(...part.moves)
        state = part.state
      }
      const rest = tellHeartbeat(state, { ...course, pings: [], until })
      expect([...moves, ...rest.moves]).toEqual(whole.moves)
      expect(rest.state).toEqual(whole.state)
    }),
  )
})
