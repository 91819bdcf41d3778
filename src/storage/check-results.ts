import { type Kysely, sql } from 'kysely'
import { hourOf, isLate } from '../rules/rollup-time.ts'
import { deleteInBatches, rowsAStatement } from './batches.ts'
import type { Database } from './database.ts'
import { engineOf } from './engine.ts'
import type { Page, Paged } from './page.ts'
import { dropResultPartitions, listResultPartitions } from './result-partitions.ts'
import type { Schema } from './schema.ts'
import { flagOf } from './tables/flag.ts'

type ResultRow = Schema['checkResults']

export interface ResultFilter {
  /** Of `startedAt`, epoch milliseconds, both included. */
  readonly from?: number
  readonly to?: number
  readonly location?: string
  readonly hasFailures?: boolean
  readonly resultType: ResultRow['resultType'] | 'ALL'
}

/** The row that a list goes on behind. */
export interface ResultCursor {
  readonly startedAt: number
  readonly id: string
}

/**
 * False when a result with this id is stored already: it stays as it is. Only a FINAL one replaces an ATTEMPT: the same
 * attempt was then made twice, and the second time it was the last.
 */
export async function insertResult(db: Kysely<Schema>, row: ResultRow): Promise<boolean> {
  const { id: _id, dueAt: _dueAt, ...replacement } = row
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('checkResults')
    .values(row)
    .onConflict((conflict) => {
      const same = conflict.columns(uniqueColumns[engineOf(db)])
      return row.resultType === 'FINAL'
        ? same.doUpdateSet(replacement).where('checkResults.resultType', '=', 'ATTEMPT')
        : same.doNothing()
    })
    .executeTakeFirst()
  const stored = numInsertedOrUpdatedRows > 0n
  if (stored && row.resultType === 'FINAL' && isLate(row.startedAt, row.createdAt)) await markLate(db, row)
  return stored
}

/** PostgreSQL wants the column of the partitions in every unique index: a result's id includes when its run was due. */
const uniqueColumns = { sqlite: ['id'], postgres: ['id', 'dueAt'] } as const

/** A row for each result: many that are late for one hour never wait for each other. */
async function markLate(db: Kysely<Schema>, { id, checkId, startedAt }: ResultRow): Promise<void> {
  await db
    .insertInto('lateResults')
    .values({ resultId: id, checkId, hourAt: hourOf(startedAt) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Newest start first, then by id. */
export async function listResults(
  db: Kysely<Schema>,
  accountId: string,
  checkId: string,
  filter: ResultFilter,
  page: Page,
): Promise<Paged<ResultRow>> {
  const matching = matchingResults(db, accountId, checkId, filter)
  const { total } = await matching
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const rows = await newestFirst(matching).offset(page.offset).limit(page.limit).execute()
  return { rows, total }
}

/** At most `limit` rows behind the cursor, in the order of listResults; from the newest on without one. */
export function listResultsAfter(
  db: Kysely<Schema>,
  accountId: string,
  checkId: string,
  filter: ResultFilter,
  cursor: ResultCursor | null,
  limit: number,
): Promise<ResultRow[]> {
  let matching = matchingResults(db, accountId, checkId, filter)
  if (cursor) {
    const { startedAt, id } = cursor
    // The first condition follows from the second and lets the index begin at the cursor.
    matching = matching
      .where('startedAt', '<=', startedAt)
      .where((eb) => eb.or([eb('startedAt', '<', startedAt), eb('id', '>', id)]))
  }
  return newestFirst(matching).limit(limit).execute()
}

export function findResult(
  db: Kysely<Schema>,
  accountId: string,
  checkId: string,
  id: string,
): Promise<ResultRow | undefined> {
  return db
    .selectFrom('checkResults')
    .selectAll()
    .where('id', '=', id)
    .where('checkId', '=', checkId)
    .where('accountId', '=', accountId)
    .executeTakeFirst()
}

/**
 * By when they started; returns how many rows were deleted. On PostgreSQL a week goes whole, and uncounted, when the last
 * of its results is old enough; row by row goes what lies in no week.
 */
export async function deleteResultsBefore(database: Database, before: number): Promise<number> {
  await dropResultPartitions(database, before)
  let total = 0
  for (const table of await tablesOfOldRows(database))
    total += await deleteRowsBefore(database.kysely, table, before)
  return total
}

async function tablesOfOldRows(database: Database): Promise<string[]> {
  if (database.engine === 'sqlite') return ['check_results']
  const names = (await listResultPartitions(database)).map(({ name }) => name)
  return names.filter((name) => name === 'check_results_before' || name === 'check_results_rest')
}

function deleteRowsBefore(db: Kysely<Schema>, table: string, before: number): Promise<number> {
  const name = sql.table(table)
  return deleteInBatches(async () => {
    const { numAffectedRows = 0n } = await sql`
      delete from ${name} where id in
        (select id from ${name} where started_at < ${before} order by started_at limit ${rowsAStatement})
    `.execute(db)
    return Number(numAffectedRows)
  })
}

function matchingResults(db: Kysely<Schema>, accountId: string, checkId: string, filter: ResultFilter) {
  const { from, to, location, hasFailures, resultType } = filter
  let query = db.selectFrom('checkResults').where('accountId', '=', accountId).where('checkId', '=', checkId)
  if (resultType !== 'ALL') query = query.where('resultType', '=', resultType)
  if (from !== undefined) query = query.where('startedAt', '>=', from)
  if (to !== undefined) query = query.where('startedAt', '<=', to)
  if (location !== undefined) query = query.where('location', '=', location)
  if (hasFailures !== undefined) query = query.where('hasFailures', '=', flagOf(hasFailures))
  return query
}

function newestFirst(matching: ReturnType<typeof matchingResults>) {
  return matching.selectAll().orderBy('startedAt', 'desc').orderBy('id')
}
