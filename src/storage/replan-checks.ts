import { type Kysely, sql } from 'kysely'
import { isNotBegun } from './check-runs.ts'
import { engineOf } from './engine.ts'
import { lockRows } from './row-locks.ts'
import type { Schema } from './schema.ts'

/**
 * What was planned of the account's checks for after `afterMs`, and not begun, is planned anew. Belongs in a transaction,
 * under the account's lock; the checks come before their runs, in the order in which planning locks them.
 */
export async function replanChecks(db: Kysely<Schema>, accountId: string, afterMs: number): Promise<void> {
  const planned = await db
    .selectFrom('checkRuns')
    .select('checkId')
    .distinct()
    .where('dueAt', '>', afterMs)
    .where('accountId', '=', accountId)
    .where(isNotBegun)
    .execute()
  if (planned.length === 0) return
  const locked = await db
    .selectFrom('checks')
    .select('id')
    .where(
      'id',
      'in',
      planned.map(({ checkId }) => checkId),
    )
    .where('nextDueAt', 'is not', null)
    .orderBy('id')
    .$call(lockRows(engineOf(db)))
    .execute()
  const ids = locked.map(({ id }) => id)
  if (ids.length === 0) return
  await db
    .deleteFrom('checkRuns')
    .where('checkId', 'in', ids)
    .where('dueAt', '>', afterMs)
    .where(isNotBegun)
    .execute()
  // The first tick later than that (rules/schedule).
  const next = sql<number>`phase_ms + ((cast(${afterMs} as bigint) - phase_ms) / interval_ms + 1) * interval_ms`
  await db.updateTable('checks').set({ nextDueAt: next }).where('id', 'in', ids).execute()
}
