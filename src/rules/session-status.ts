/** How far a run of a session is, and how it ended. */
export interface SessionRun {
  readonly state: 'held' | 'pending' | 'leased' | 'done'
  readonly outcome: 'passed' | 'degraded' | 'failed' | 'missed' | 'errored' | null
  readonly reason: string | null
}

export type CheckSessionStatus =
  | 'STARTED'
  | 'PROGRESS'
  | 'PROGRESS_FAILED'
  | 'PROGRESS_DEGRADED'
  | 'PASSED'
  | 'DEGRADED'
  | 'FAILED'
  | 'TIMED_OUT'
  | 'CANCELLED'

export type TestSessionStatus = 'RUNNING' | 'PASSED' | 'FAILED' | 'CANCELLED'

/** Why a run that was called off was missed. */
export const cancelledReason = 'cancelled'

export const isCancelled = ({ outcome, reason }: SessionRun): boolean =>
  outcome === 'missed' && reason === cancelledReason

/** Whether nothing more comes. A session whose runs are gone with their check has ended, too. */
export const isComplete = (runs: readonly SessionRun[]): boolean =>
  runs.every(({ state }) => state === 'done')

/**
 * What a session has to say of its runs. What was called off stays so, whatever comes of it later; a run that was missed,
 * or that our own fault kept from saying anything of its target, is no failure of the target (semantics §3): then the
 * session ran out of time.
 */
export function checkSessionStatus(runs: readonly SessionRun[], cancelled: boolean): CheckSessionStatus {
  const ended = (...outcomes: readonly SessionRun['outcome'][]) =>
    runs.some(({ outcome }) => outcomes.includes(outcome))
  if (!isComplete(runs)) return progress(runs, ended)
  if (cancelled || runs.length === 0) return 'CANCELLED'
  if (ended('failed')) return 'FAILED'
  if (runs.some(isCancelled)) return 'CANCELLED'
  if (ended('missed', 'errored')) return 'TIMED_OUT'
  return ended('degraded') ? 'DEGRADED' : 'PASSED'
}

function progress(
  runs: readonly SessionRun[],
  ended: (...outcomes: readonly SessionRun['outcome'][]) => boolean,
): CheckSessionStatus {
  if (ended('failed')) return 'PROGRESS_FAILED'
  if (ended('degraded')) return 'PROGRESS_DEGRADED'
  return runs.some(({ state }) => state === 'leased' || state === 'done') ? 'PROGRESS' : 'STARTED'
}

/** A test that could not be made has not passed. */
export function testSessionStatus(runs: readonly SessionRun[], cancelled: boolean): TestSessionStatus {
  const status = checkSessionStatus(runs, cancelled)
  if (!isComplete(runs)) return 'RUNNING'
  if (status === 'CANCELLED') return 'CANCELLED'
  return status === 'PASSED' || status === 'DEGRADED' ? 'PASSED' : 'FAILED'
}
