import { type Kysely, sql } from 'kysely'
import type { Schema } from './schema.ts'

/** A check that runs, and where: its group's locations in the place of its own, where that has some. */
export interface PlacedCheck extends Pick<Schema['checks'], 'id' | 'name' | 'type' | 'createdAt'> {
  readonly locations: readonly string[]
}

/** Those of the account's checks, or one of them, that run; the newest first, then by id. */
export async function placesOfChecks(
  db: Kysely<Schema>,
  accountId: string,
  checkId?: string,
): Promise<PlacedCheck[]> {
  let query = db
    .selectFrom('checks')
    .innerJoin('checkSchedules', 'checkSchedules.checkId', 'checks.id')
    .select(['checks.id', 'checks.name', 'checks.type', 'checks.createdAt', 'checkSchedules.locations'])
    .where('checks.accountId', '=', accountId)
    .where('checks.nextDueAt', 'is not', null)
    .where(
      'checkSchedules.fromAt',
      '=',
      sql<number>`(select max(s.from_at) from check_schedules s where s.check_id = checks.id)`,
    )
  if (checkId !== undefined) query = query.where('checks.id', '=', checkId)
  const rows = await query.orderBy('checks.createdAt', 'desc').orderBy('checks.id').execute()
  // The column holds what server/stored/schedule-changes wrote, and nothing else.
  return rows.map((row) => ({ ...row, locations: JSON.parse(row.locations) as string[] }))
}
