import type { Kysely } from 'kysely'
import { slicesOf } from '../../storage/batches.ts'
import { countHeartbeatEvents, type HeartbeatEventRow } from '../../storage/heartbeat-events.ts'
import type { Schema } from '../../storage/schema.ts'
import type { TimeWindow } from '../../storage/time-window.ts'

/** Pings that were expected of a heartbeat in a window. */
export interface HeartbeatFigure {
  readonly inTime: number
  readonly failed: number
}

const nothing: HeartbeatFigure = { inTime: 0, failed: 0 }
/** SQLite works on the event loop: what it reads at once must not hold others up. */
const heartbeatsAtOnce = 20

/** Of each of these checks; nothing was expected of one that is no heartbeat. The window is half-open. */
export async function heartbeatFigures(
  db: Kysely<Schema>,
  checkIds: readonly string[],
  window: TimeWindow,
): Promise<(checkId: string) => HeartbeatFigure> {
  const figures = new Map<string, HeartbeatFigure>()
  for await (const batch of slicesOf(checkIds, heartbeatsAtOnce)) {
    for (const { checkId, state, events } of await countHeartbeatEvents(db, batch, window)) {
      figures.set(checkId, counted(figures.get(checkId) ?? nothing, state, events))
    }
  }
  return (checkId) => figures.get(checkId) ?? nothing
}

/** A ping that is LATE ends a failure that was counted when it began (semantics §7). */
function counted(
  { inTime, failed }: HeartbeatFigure,
  state: HeartbeatEventRow['state'],
  events: number,
): HeartbeatFigure {
  if (state === 'LATE') return { inTime, failed }
  return state === 'FAILING' ? { inTime, failed: failed + events } : { inTime: inTime + events, failed }
}

/** The share of expected pings that came in time, 0 to 1; null when none was expected. */
export function shareInTime({ inTime, failed }: HeartbeatFigure): number | null {
  const expected = inTime + failed
  return expected === 0 ? null : inTime / expected
}

/** `shareInTime` in percent. */
export function heartbeatAvailability(figure: HeartbeatFigure): number | null {
  const share = shareInTime(figure)
  return share === null ? null : Math.round(1e6 * share) / 1e4
}
