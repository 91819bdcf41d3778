import type { Clock } from '../../lib/clock.ts'
import { type Downtime, deadlineAt } from '../../rules/heartbeat-deadline.ts'
import { tellHeartbeat } from '../../rules/heartbeat-state.ts'
import type { Database } from '../../storage/database.ts'
import {
  firstHeartbeatDeadline,
  type HeartbeatRow,
  lockHeartbeatsDueBefore,
} from '../../storage/heartbeats.ts'
import { listDowntimes } from '../../storage/service-downtimes.ts'
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
        const downtimes = await listDowntimes(db, Math.min(...rows.map(({ anchorAt }) => anchorAt ?? now)))
        await saveChanges(
          db,
          rows.map((row) => failUntil(row, downtimes, until)),
          now,
        )
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

function failUntil(row: HeartbeatRow, downtimes: readonly Downtime[], until: number): HeartbeatChange {
  const { periodMs, graceMs } = row
  const timing = { periodMs, graceMs }
  const { state, moves } = tellHeartbeat(row, { timing, downtimes, pings: [], until })
  const deadline = state.anchorAt === null ? null : deadlineAt(state.anchorAt, timing, downtimes)
  const events = moves.map(({ at }) => missedEvent(row, at))
  return { before: row, after: withState(row, state, deadline), events }
}
