import type { Clock } from '../../lib/clock.ts'
import { type Allowances, failsAt, type HeartbeatTiming } from '../../rules/heartbeat-deadline.ts'
import { type HeartbeatState, tellHeartbeat } from '../../rules/heartbeat-state.ts'
import type { Database } from '../../storage/database.ts'
import {
  firstHeartbeatDeadline,
  type HeartbeatRow,
  lockHeartbeatsDueBefore,
} from '../../storage/heartbeats.ts'
import { allowancesOf } from './allowances.ts'
import { type HeartbeatChange, missedEvent, saveChanges, withState } from './heartbeat-moves.ts'
import type { OwnDowntime } from './own-downtime.ts'

export interface OverdueOptions {
  readonly database: Database
  readonly clock: Clock
  readonly downtime: OwnDowntime
}

/** So long a ping may take from its coming to its commit before its heartbeat is looked at. */
const settleMs = 250
const atOnce = 500
/** Events of one turn. Where more are due, those of the next heartbeats are for the next turn: pings wait for this one. */
const mostEvents = 1000
/** Of one heartbeat: more deadlines at once have passed only where its last ping came to us long after its time. */
const mostMissed = 100
/** One that maintenance holds is looked at again after so long: its windows may have been changed. */
const changedMs = 60_000
const sureMs = 60 * 60_000
const mostWaitMs = 1000
const leastWaitMs = 50
/** A turn that begins so much too late was held up, and with it the pings that came meanwhile: they are first, once. */
const heldUpMs = 250

/**
 * Turns of the loop that fails heartbeats whose deadline passed, each at its time: found by their index, never by looking
 * at all. Servers take turns. A turn returns the milliseconds until the next.
 */
export function overdueTurns({ database, clock, downtime }: OverdueOptions): () => Promise<number> {
  let awaitedAt: number | null = null

  async function turn(): Promise<number> {
    const heldUp = awaitedAt !== null && clock.monotonicMs() - awaitedAt > heldUpMs
    if (heldUp) {
      awaitedAt = null
      return settleMs
    }
    const now = clock.now()
    const looked = await database.transaction(async (db) => {
      if (!(await downtime.beat(db, now))) return null
      const until = now - settleMs
      const rows = await lockHeartbeatsDueBefore(db, until, atOnce)
      if (rows.length > 0) {
        const since = Math.min(...rows.map(({ anchorAt }) => anchorAt ?? now))
        const allowances = await allowancesOf(db, rows, { since, unrecorded: null })
        await saveChanges(db, failAll(rows, allowances, until), now)
      }
      return { nextAt: await firstHeartbeatDeadline(db) }
    })
    if (looked === null) return pause(settleMs)
    downtime.heard(now)
    const untilNextMs = (looked.nextAt ?? Number.POSITIVE_INFINITY) + settleMs + 1 - clock.now()
    return pause(Math.max(leastWaitMs, Math.min(mostWaitMs, untilNextMs)))
  }

  function pause(waitMs: number): number {
    awaitedAt = clock.monotonicMs() + waitMs
    return waitMs
  }

  return turn
}

function failAll(
  rows: readonly HeartbeatRow[],
  allowancesOfRow: (row: HeartbeatRow) => Allowances,
  until: number,
): HeartbeatChange[] {
  const changes: HeartbeatChange[] = []
  let events = 0
  for (const row of rows) {
    if (events >= mostEvents) break
    const change = failUntil(row, allowancesOfRow(row), until)
    events += change.events.length
    changes.push(change)
  }
  return changes
}

function failUntil(row: HeartbeatRow, allowances: Allowances, until: number): HeartbeatChange {
  const { periodMs, graceMs } = row
  const timing = { periodMs, graceMs }
  const { state, moves } = tellHeartbeat(row, { timing, ...allowances, pings: [], until, mostMissed })
  const events = moves.map(({ at }) => missedEvent(row, at))
  return { before: row, after: withState(row, state, lookAt(state, timing, allowances, until)), events }
}

/**
 * When one that does not fail until an instant is to be looked at again: at its deadline, as far as that is known. Windows may be changed
 * meanwhile, and a run that fails sets the deadline itself: it is only made sure of.
 */
function lookAt(
  { anchorAt }: HeartbeatState,
  timing: HeartbeatTiming,
  { downtimes, heldUntil, failedRunsAt }: Allowances,
  until: number,
): number | null {
  if (anchorAt === null) return null
  const unheld = failsAt(anchorAt, timing, { downtimes, failedRunsAt })
  if (unheld === null) return until + sureMs
  if (unheld > until) return unheld
  const fails = failsAt(anchorAt, timing, { downtimes, heldUntil, failedRunsAt })
  return Math.min(fails ?? Number.POSITIVE_INFINITY, until + changedMs)
}
