import { type Kysely, sql } from 'kysely'
import { batchesOf } from './batches.ts'
import type { Schema } from './schema.ts'

type LocationMetricsRow = Schema['locationMetrics']

export interface LocationMetricsWindow {
  /** Null for a data-center location. */
  readonly accountId: string | null
  readonly location: string
  /** Epoch milliseconds, both included. */
  readonly from: number
  readonly to: number
}

/** The first sample of a location and instant stands. */
export async function insertLocationMetrics(
  db: Kysely<Schema>,
  rows: readonly LocationMetricsRow[],
): Promise<void> {
  for (const batch of batchesOf(rows)) {
    await db
      .insertInto('locationMetrics')
      .values(batch)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}

/** Oldest first. */
export function listLocationMetrics(
  db: Kysely<Schema>,
  { accountId, location, from, to }: LocationMetricsWindow,
): Promise<LocationMetricsRow[]> {
  return db
    .selectFrom('locationMetrics')
    .selectAll()
    .where(sql<string>`coalesce(account_id, '')`, '=', accountId ?? '')
    .where('location', '=', location)
    .where('at', '>=', from)
    .where('at', '<=', to)
    .orderBy('at')
    .execute()
}

export async function deleteLocationMetricsBefore(db: Kysely<Schema>, before: number): Promise<void> {
  await db.deleteFrom('locationMetrics').where('at', '<', before).execute()
}
