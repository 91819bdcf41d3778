import { type Kysely, sql } from 'kysely'
import { hourOf, isLate } from '../rules/rollup-time.ts'
import { deleteInBatches, rowsAStatement } from './batches.ts'
import type { Database } from './database.ts'
import { engineOf } from './engine.ts'
import type { Page, Paged } from './page.ts'
import { dropResultPartitions, listResultPartitions } from './result-partitions.ts'
import type { Schema } from './schema.ts'
import { flagOf } from './tables/flag.ts'
import { rowWrite, writeRows } from './write-rows.ts'

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

/** All but what the agent saw in detail, which may be a megabyte each. */
export const shortResultColumns = [
  'id',
  'accountId',
  'checkId',
  'runId',
  'resultType',
  'attempt',
  'location',
  'dueAt',
  'startedAt',
  'stoppedAt',
  'createdAt',
  'hasFailures',
  'hasErrors',
  'isDegraded',
  'overMaxResponseTime',
  'responseTimeMs',
  'statusCode',
] as const satisfies readonly (keyof ResultRow)[]
const columns = [...shortResultColumns, 'details', 'measures'] as const

const writesOf = (identity: readonly (keyof ResultRow)[]) => ({
  ATTEMPT: rowWrite('checkResults', columns, identity, 'keep'),
  FINAL: rowWrite('checkResults', columns, identity, 'replace', "check_results.result_type = 'ATTEMPT'"),
})

/** PostgreSQL wants the column of the partitions in every unique index: a result's id includes when its run was due. */
const resultWrites = { sqlite: writesOf(['id']), postgres: writesOf(['id', 'dueAt']) }
const lateWrite = rowWrite('lateResults', ['resultId', 'checkId', 'hourAt'], ['resultId'], 'keep')

/**
 * Of those whose id is stored already none changes anything, but a FINAL one in the place of an ATTEMPT: the same attempt
 * was then made twice, and the second time it was the last. Returns how many were stored. No two may have one id.
 */
export async function insertResults(db: Kysely<Schema>, rows: readonly ResultRow[]): Promise<number> {
  const finals = rows.filter(({ resultType }) => resultType === 'FINAL')
  const attempts = rows.filter(({ resultType }) => resultType === 'ATTEMPT')
  const engine = engineOf(db)
  const stored =
    (await writeRows(db, resultWrites[engine].ATTEMPT, attempts)) +
    (await writeRows(db, resultWrites[engine].FINAL, finals))
  await markLate(db, finals)
  return stored
}

/** A row for each result: many that are late for one hour never wait for each other. */
async function markLate(db: Kysely<Schema>, finals: readonly ResultRow[]): Promise<void> {
  const late = finals.filter(({ startedAt, createdAt }) => isLate(startedAt, createdAt))
  const rows = late.map(({ id, checkId, startedAt }) => ({
    resultId: id,
    checkId,
    hourAt: hourOf(startedAt),
  }))
  await writeRows(db, lateWrite, rows)
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
