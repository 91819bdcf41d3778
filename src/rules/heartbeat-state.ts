import type { HeartbeatEventState } from '../contract/resources/heartbeat-event.ts'
import { type Downtime, deadlineAt, type HeartbeatTiming } from './heartbeat-deadline.ts'

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

export interface HeartbeatCourse<P extends HeartbeatPing> {
  readonly timing: HeartbeatTiming
  /** Oldest first. */
  readonly downtimes: readonly Downtime[]
  /** Oldest first, none older than what the state tells of. */
  readonly pings: readonly P[]
  /** Deadlines before this instant have passed, epoch milliseconds. */
  readonly until: number
}

/** A heartbeat that nobody looked at for years fails so often at once; the rest is for the next look. */
const mostFailuresAtOnce = 1000

/**
 * What becomes of a heartbeat (semantics §7): the first ping starts its timer; each ping, and each alert, moves the next
 * expected time to a period later; it fails when period and grace pass without one. The same pings give the same story,
 * whether they are told at once or one by one.
 */
export function tellHeartbeat<P extends HeartbeatPing>(
  before: HeartbeatState,
  { timing, downtimes, pings, until }: HeartbeatCourse<P>,
): HeartbeatStory<P> {
  const moves: HeartbeatMove<P>[] = []
  let state = before
  for (const ping of pings) {
    state = failUntil(state, ping.at, moves)
    moves.push({ state: stateOfPing(state, timing, ping), at: ping.at, ping })
    state = { anchorAt: ping.at, failing: ping.fails ? 'reported' : 'no' }
  }
  return { state: failUntil(state, until, moves), moves }

  function failUntil(from: HeartbeatState, end: number, into: HeartbeatMove<P>[]): HeartbeatState {
    let failing = from
    for (let count = 0; failing.anchorAt !== null && count < mostFailuresAtOnce; count += 1) {
      const at = deadlineAt(failing.anchorAt, timing, downtimes)
      if (at >= end) break
      into.push({ state: 'FAILING', at, ping: null })
      failing = { anchorAt: at, failing: 'missed' }
    }
    return failing
  }
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
