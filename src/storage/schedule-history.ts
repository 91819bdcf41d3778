import { type Kysely, sql } from 'kysely'
import { batchesOf, deleteInBatches, rowsAStatement } from './batches.ts'
import { engineOf } from './engine.ts'
import { lockRows } from './row-locks.ts'
import type { Schema } from './schema.ts'
import { rowWrite, writeRows } from './write-rows.ts'

type ScheduleRow = Schema['checkSchedules']

/** Since when the check is as it is; null for one that nothing is known of. Belongs under the lock of the check. */
export async function lastScheduleAt(db: Kysely<Schema>, checkId: string): Promise<number | null> {
  return (await lastSchedule(db, checkId))?.fromAt ?? null
}

function lastSchedule(db: Kysely<Schema>, checkId: string): Promise<ScheduleRow | undefined> {
  return db
    .selectFrom('checkSchedules')
    .selectAll()
    .where('checkId', '=', checkId)
    .orderBy('fromAt', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/**
 * Belongs in the transaction of the change, under the lock of the check; `fromAt` is never before that of the last row. One
 * that says what the last row says is not written.
 */
export async function insertSchedule(db: Kysely<Schema>, row: ScheduleRow): Promise<void> {
  const last = await lastSchedule(db, row.checkId)
  if (last && sameSchedule(last, row)) return
  const { checkId: _checkId, fromAt: _fromAt, ...changed } = row
  await db
    .insertInto('checkSchedules')
    .values(row)
    .onConflict((conflict) => conflict.columns(['checkId', 'fromAt']).doUpdateSet(changed))
    .execute()
}

function sameSchedule(one: ScheduleRow, other: ScheduleRow): boolean {
  const { fromAt: _one, ...ofOne } = one
  const { fromAt: _other, ...ofOther } = other
  return JSON.stringify(Object.entries(ofOne).sort()) === JSON.stringify(Object.entries(ofOther).sort())
}

/** Ids of up to `limit` checks that had a schedule, those behind `after`, in order; of all accounts with null. */
export async function listScheduledChecks(
  db: Kysely<Schema>,
  accountId: string | null,
  after: string,
  limit: number,
): Promise<string[]> {
  let query = db.selectFrom('checkSchedules').select('checkId').distinct().where('checkId', '>', after)
  if (accountId !== null) query = query.where('accountId', '=', accountId)
  const rows = await query.orderBy('checkId').limit(limit).execute()
  return rows.map(({ checkId }) => checkId)
}

/** All there is of these checks, by check and then the oldest first. */
export async function listSchedules(db: Kysely<Schema>, checkIds: readonly string[]): Promise<ScheduleRow[]> {
  const found: ScheduleRow[] = []
  for (const batch of batchesOf(checkIds)) {
    const rows = db.selectFrom('checkSchedules').selectAll().where('checkId', 'in', batch)
    found.push(...(await rows.orderBy('checkId').orderBy('fromAt').execute()))
  }
  return found
}

/** Checks behind `after` that were there before their schedules were kept, by id; nobody else changes them meanwhile. */
export function lockChecksWithoutSchedule(
  db: Kysely<Schema>,
  after: string,
  limit: number,
): Promise<Schema['checks'][]> {
  return db
    .selectFrom('checks')
    .selectAll()
    .where('id', '>', after)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('checkSchedules')
            .select('checkSchedules.checkId')
            .whereRef('checkSchedules.checkId', '=', 'checks.id'),
        ),
      ),
    )
    .orderBy('id')
    .limit(limit)
    .$call(lockRows(engineOf(db)))
    .execute()
}

const firstWrite = rowWrite(
  'checkSchedules',
  ['checkId', 'accountId', 'fromAt', 'state', 'intervalMs', 'phaseMs', 'runParallel', 'locations', 'turns'],
  ['checkId', 'fromAt'],
  'keep',
)

/** Of checks that had none. */
export async function insertFirstSchedules(db: Kysely<Schema>, rows: readonly ScheduleRow[]): Promise<void> {
  await writeRows(db, firstWrite, rows)
}

/** What was replaced before, and checks that were deleted before. Returns how many rows went. */
export function deleteSchedulesBefore(db: Kysely<Schema>, before: number): Promise<number> {
  return deleteInBatches(async () => {
    const { numAffectedRows = 0n } = await sql`
      delete from check_schedules where (check_id, from_at) in (
        select old.check_id, old.from_at from check_schedules old
        where exists (
          select 1 from check_schedules later
          where later.check_id = old.check_id and later.from_at > old.from_at and later.from_at < ${before}
        ) or (old.state = 'deleted' and old.from_at < ${before} and not exists (
          select 1 from check_schedules earlier
          where earlier.check_id = old.check_id and earlier.from_at < old.from_at
        ))
        limit ${rowsAStatement}
      )
    `.execute(db)
    return Number(numAffectedRows)
  })
}
