import type { HeartbeatEventState } from '../contract/resources/heartbeat-event.ts'
import { type Allowances, failsAt, type HeartbeatTiming } from './heartbeat-deadline.ts'

/** What the next ping is judged by. */
export interface HeartbeatState {
  /** The last ping or alert, or the restart of the timer, epoch milliseconds; null until the first ping starts it. */
  readonly anchorAt: number | null
  /** `missed`: no ping came in time. `reported`: the job itself said that it failed. */
  readonly failing: 'no' | 'missed' | 'reported'
}

export const waitingForFirstPing: HeartbeatState = { anchorAt: null, failing: 'no' }

/** What moves a heartbeat, in the order of `at` (epoch milliseconds). */
export interface HeartbeatPing {
  readonly at: number
  /** The job says that it failed: no ping that counts as one in time. */
  readonly fails: boolean
}

export interface HeartbeatMove<P extends HeartbeatPing> {
  readonly state: HeartbeatEventState
  readonly at: number
  /** Null where it is that none came. */
  readonly ping: P | null
}

export interface HeartbeatStory<P extends HeartbeatPing> {
  readonly state: HeartbeatState
  readonly moves: readonly HeartbeatMove<P>[]
}

export interface HeartbeatCourse<P extends HeartbeatPing> extends Allowances {
  readonly timing: HeartbeatTiming
  /** Oldest first, none older than what the state tells of. */
  readonly pings: readonly P[]
  /** Deadlines before this instant have passed, epoch milliseconds. */
  readonly until: number
  /** So many of them are told one by one; of a silence beyond them only the last is. */
  readonly mostMissed?: number
}

/** Who looks in time sees each: only what comes to us long after its time leaves so many behind it. */
const mostMissedAtOnce = 300

/**
 * What becomes of a heartbeat (semantics §7): the first ping starts its timer; each ping, and each alert, moves the next
 * expected time to a period later; it fails when period and grace pass without one. The same pings give the same story,
 * whether they are told at once or one by one.
 */
export function tellHeartbeat<P extends HeartbeatPing>(
  before: HeartbeatState,
  course: HeartbeatCourse<P>,
): HeartbeatStory<P> {
  const { timing, pings, until, mostMissed = mostMissedAtOnce } = course
  const moves: HeartbeatMove<P>[] = []
  let missed = 0
  let state = before
  for (const ping of pings) {
    state = failUntil(state, ping.at)
    moves.push({ state: stateOfPing(state, timing, ping), at: ping.at, ping })
    state = { anchorAt: ping.at, failing: ping.fails ? 'reported' : 'no' }
  }
  return { state: failUntil(state, until), moves }

  function failUntil(from: HeartbeatState, end: number): HeartbeatState {
    let failing = from
    while (failing.anchorAt !== null) {
      const next = failsAt(failing.anchorAt, timing, course)
      if (next === null || next >= end) break
      missed += 1
      const at = missed > mostMissed ? lastBefore(end, next, timing) : next
      moves.push({ state: 'FAILING', at, ping: null })
      failing = { anchorAt: at, failing: 'missed' }
    }
    return failing
  }
}

/** The last deadline before an instant, when one is at `first` and nothing comes. */
function lastBefore(end: number, first: number, { periodMs, graceMs }: HeartbeatTiming): number {
  const spanMs = periodMs + graceMs
  return first + Math.floor((end - 1 - first) / spanMs) * spanMs
}

/** No job is exact: what is off by so little came when it was expected. */
const toleranceMs = ({ periodMs }: HeartbeatTiming): number =>
  Math.min(60_000, Math.max(1000, periodMs / 100))

function stateOfPing(
  { anchorAt, failing }: HeartbeatState,
  timing: HeartbeatTiming,
  { at, fails }: HeartbeatPing,
): HeartbeatEventState {
  if (fails) return 'FAILING'
  if (failing === 'missed') return 'LATE'
  if (anchorAt === null) return 'RECEIVED'
  const expectedAt = anchorAt + timing.periodMs
  if (at < expectedAt - toleranceMs(timing)) return 'EARLY'
  return at <= expectedAt + toleranceMs(timing) ? 'RECEIVED' : 'GRACE'
}
