import { type Kysely, sql } from 'kysely'
import type { Schema } from './schema.ts'

type IllRow = Schema['illLocations']

/** A location; null for the account of a data-center one. */
export type Place = Pick<IllRow, 'accountId' | 'location'>

export interface EndedRunsOfPlace extends Place {
  readonly outcome: Schema['checkRuns']['outcome']
  /** Of errored runs alone. */
  readonly reason: string | null
  readonly runs: number
}

/** Runs that ended and were due in the window, both ends included: how many of each place, outcome and reason. */
export async function countEndedRuns(
  db: Kysely<Schema>,
  { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
): Promise<EndedRunsOfPlace[]> {
  const { rows } = await sql<EndedRunsOfPlace>`
    select account_id, location, outcome, reason, count(*) as runs from (
      select case when data_center = 1 then null else account_id end as account_id, location, outcome,
        case when outcome = 'errored' then reason end as reason
      from check_runs
      where due_at between ${fromMs} and ${untilMs} and outcome in ('passed', 'degraded', 'failed', 'errored')
    ) as ended group by account_id, location, outcome, reason
  `.execute(db)
  return rows
}

export function listIllLocations(db: Kysely<Schema>): Promise<IllRow[]> {
  return db.selectFrom('illLocations').selectAll().orderBy('location').execute()
}

/** False when it was known: one of several servers tells of it. */
export async function insertIllLocation(db: Kysely<Schema>, row: IllRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('illLocations')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

/** False when it was not known as ill. */
export async function deleteIllLocation(
  db: Kysely<Schema>,
  { accountId, location }: Place,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('illLocations')
    .where(sql<string>`coalesce(account_id, '')`, '=', accountId ?? '')
    .where('location', '=', location)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
