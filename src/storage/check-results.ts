import type { Kysely } from 'kysely'
import { deleteInBatches, rowsAStatement } from './batches.ts'
import type { Page, Paged } from './page.ts'
import type { Flag, Schema } from './schema.ts'

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
  const { id: _id, ...replacement } = row
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('checkResults')
    .values(row)
    .onConflict((conflict) =>
      row.resultType === 'FINAL'
        ? conflict.column('id').doUpdateSet(replacement).where('checkResults.resultType', '=', 'ATTEMPT')
        : conflict.column('id').doNothing(),
    )
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
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

/** By when they started. Returns how many went. */
export function deleteResultsBefore(db: Kysely<Schema>, before: number): Promise<number> {
  return deleteInBatches(async () => {
    const { numDeletedRows } = await db
      .deleteFrom('checkResults')
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('checkResults')
          .select('id')
          .where('startedAt', '<', before)
          .orderBy('startedAt')
          .limit(rowsAStatement),
      )
      .executeTakeFirst()
    return Number(numDeletedRows)
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

const flagOf = (value: boolean): Flag => (value ? 1 : 0)

function newestFirst(matching: ReturnType<typeof matchingResults>) {
  return matching.selectAll().orderBy('startedAt', 'desc').orderBy('id')
}
