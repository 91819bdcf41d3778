import type { Kysely } from 'kysely'
import type { HeartbeatAvailability } from '../../../contract/resources/heartbeat-event.ts'
import type { Schema } from '../../../storage/schema.ts'
import type { TimeWindow } from '../../../storage/time-window.ts'
import { heartbeatFigures, shareInTime } from '../../figures/heartbeat-figures.ts'

interface Counted {
  readonly expected: number
  readonly ratio: number
}

async function count(db: Kysely<Schema>, checkId: string, window: TimeWindow): Promise<Counted> {
  const figure = (await heartbeatFigures(db, [checkId], window))(checkId)
  return { expected: figure.inTime + figure.failed, ratio: shareInTime(figure) ?? 0 }
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
