import type { Kysely } from 'kysely'
import { isOpen } from './claimable-runs.ts'
import type { Schema } from './schema.ts'

interface QueueMetrics {
  readonly accountId: string
  readonly location: string
  readonly dataCenter: Schema['checkRuns']['dataCenter']
  readonly queueSize: number
  /** Epoch milliseconds of when the oldest was to be attempted. */
  readonly oldestScheduledAt: number
}

/**
 * The queue of each account and location where runs wait that should be under way at `now`; those whose agent is gone wait,
 * too, until another comes.
 */
export function queueMetrics(db: Kysely<Schema>, now: number): Promise<QueueMetrics[]> {
  return db
    .selectFrom('checkRuns')
    .select(['accountId', 'location', 'dataCenter'])
    .select(({ fn }) => [
      fn.countAll<number>().as('queueSize'),
      fn.min<number>('attemptAt').as('oldestScheduledAt'),
    ])
    .where(isOpen)
    .where((eb) => eb.or([eb('state', '=', 'pending'), eb('leaseUntil', '<=', now)]))
    .where('attemptAt', '<=', now)
    .groupBy(['accountId', 'location', 'dataCenter'])
    .orderBy('accountId')
    .orderBy('location')
    .execute()
}
