import { type Kysely, sql } from 'kysely'
import { batchesOf } from './batches.ts'
import type { Schema } from './schema.ts'

type CountRow = Schema['rateLimitCounts']

/** Adds to what was counted before; returns the sums. Callers come in one order, so that two servers never wait in a ring. */
export async function addRequests(db: Kysely<Schema>, counts: readonly CountRow[]): Promise<CountRow[]> {
  const ordered = counts.toSorted((a, b) => (a.caller < b.caller ? -1 : 1))
  const sums: CountRow[] = []
  for (const batch of batchesOf(ordered)) {
    const written = await db
      .insertInto('rateLimitCounts')
      .values(batch)
      .onConflict((conflict) =>
        conflict.columns(['windowStart', 'caller']).doUpdateSet({
          requests: sql`rate_limit_counts.requests + excluded.requests`,
        }),
      )
      .returningAll()
      .execute()
    sums.push(...written)
  }
  return sums
}

/** Of windows that began before this instant. */
export async function deleteRateLimitCountsBefore(db: Kysely<Schema>, windowStart: number): Promise<void> {
  await db.deleteFrom('rateLimitCounts').where('windowStart', '<', windowStart).execute()
}
