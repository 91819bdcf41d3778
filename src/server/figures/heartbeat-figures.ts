import type { Kysely } from 'kysely'
import { countHeartbeatEvents, type HeartbeatEventRow } from '../../storage/heartbeat-events.ts'
import type { Schema } from '../../storage/schema.ts'
import type { TimeWindow } from '../../storage/time-window.ts'

/** A ping that came in time. One that is LATE ends a failure that was counted when it began (semantics §7). */
const inTimeStates = ['EARLY', 'RECEIVED', 'GRACE'] as const satisfies readonly HeartbeatEventRow['state'][]

/** Pings of a heartbeat in a window. */
export interface HeartbeatFigure {
  readonly inTime: number
  readonly failed: number
}

export async function heartbeatFigure(
  db: Kysely<Schema>,
  checkId: string,
  window: TimeWindow,
): Promise<HeartbeatFigure> {
  const events = await countHeartbeatEvents(db, checkId, window)
  const inTime = inTimeStates.reduce((sum, state) => sum + (events.get(state) ?? 0), 0)
  return { inTime, failed: events.get('FAILING') ?? 0 }
}

/** In percent; null when nothing was expected. */
export function heartbeatAvailability({ inTime, failed }: HeartbeatFigure): number | null {
  const expected = inTime + failed
  return expected === 0 ? null : Math.round((1e6 * inTime) / expected) / 1e4
}
