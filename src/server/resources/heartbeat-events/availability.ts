import type { Kysely } from 'kysely'
import type { HeartbeatAvailability } from '../../../contract/resources/heartbeat-event.ts'
import { countHeartbeatEvents, type HeartbeatEventRow } from '../../../storage/heartbeat-events.ts'
import type { Schema } from '../../../storage/schema.ts'
import type { TimeWindow } from '../../../storage/time-window.ts'

/** A ping that came in time. One that is LATE ends a failure that was counted when it began (semantics §7). */
const inTime: ReadonlySet<HeartbeatEventRow['state']> = new Set(['EARLY', 'RECEIVED', 'GRACE'])

interface Counted {
  readonly expected: number
  readonly ratio: number
}

async function count(db: Kysely<Schema>, checkId: string, window: TimeWindow): Promise<Counted> {
  const events = await countHeartbeatEvents(db, checkId, window)
  const received = [...inTime].reduce((sum, state) => sum + (events.get(state) ?? 0), 0)
  const expected = received + (events.get('FAILING') ?? 0)
  return { expected, ratio: expected === 0 ? 0 : received / expected }
}

/** The share of expected pings that came in time, in a window and in the one before it that is as long. */
export async function availability(
  db: Kysely<Schema>,
  checkId: string,
  { from, to }: TimeWindow,
): Promise<HeartbeatAvailability> {
  const current = await count(db, checkId, { from, to })
  if (current.expected === 0) return null
  const previous = await count(db, checkId, { from: from - (to - from), to: from })
  return {
    successRatio: { previousPeriod: previous.ratio, currentPeriod: current.ratio },
    totalEntitiesCurrentPeriod: current.expected,
  }
}
