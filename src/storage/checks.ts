import { type Kysely, sql } from 'kysely'
import { among } from './among.ts'
import { batchesOf } from './batches.ts'

import { type Engine, engineOf } from './engine.ts'
import { inTransaction } from './in-transaction.ts'
import { type CheckFilter, matchingChecks } from './matching-checks.ts'
import type { Page, Paged } from './page.ts'
import { lockFreeRows, lockRows } from './row-locks.ts'
import type { Schema } from './schema.ts'

type CheckRow = Schema['checks']

/** What a check is found by besides its own columns. `locations`: data-center ids and private-location slugs. */
export interface CheckIndex {
  readonly tags: readonly string[]
  readonly locations: readonly string[]
}

export function insertCheck(db: Kysely<Schema>, row: CheckRow, index: CheckIndex): Promise<void> {
  return inTransaction(db, async (tx) => {
    await tx.insertInto('checks').values(row).execute()
    await writeIndex(tx, row.id, index)
  })
}

/**
 * Replaces all but its account and the time it was made. The version goes up from the one that is stored, so that two
 * updates at once never give one version two definitions.
 */
export function updateCheck(db: Kysely<Schema>, row: CheckRow, index: CheckIndex): Promise<void> {
  const { id, accountId, createdAt: _createdAt, version: _version, ...columns } = row
  return inTransaction(db, async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('checks')
      .set((eb) => ({ ...columns, version: eb('version', '+', 1) }))
      .where('id', '=', id)
      .where('accountId', '=', accountId)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return
    await tx.deleteFrom('checkTags').where('checkId', '=', id).execute()
    await tx.deleteFrom('checkLocations').where('checkId', '=', id).execute()
    await writeIndex(tx, id, index)
  })
}

async function writeIndex(tx: Kysely<Schema>, checkId: string, index: CheckIndex): Promise<void> {
  const tags = index.tags.map((tag, position) => ({ checkId, position, tag }))
  const locations = [...new Set(index.locations)].map((location) => ({ checkId, location }))
  for (const rows of batchesOf(tags)) await tx.insertInto('checkTags').values(rows).execute()
  for (const rows of batchesOf(locations)) await tx.insertInto('checkLocations').values(rows).execute()
}

export function findCheck(db: Kysely<Schema>, accountId: string, id: string): Promise<CheckRow | undefined> {
  return db
    .selectFrom('checks')
    .selectAll()
    .where('id', '=', id)
    .where('accountId', '=', accountId)
    .executeTakeFirst()
}

/** As findCheck; until the transaction ends nobody else changes it. */
export function lockCheck(db: Kysely<Schema>, accountId: string, id: string): Promise<CheckRow | undefined> {
  return db
    .selectFrom('checks')
    .selectAll()
    .where('id', '=', id)
    .where('accountId', '=', accountId)
    .$call(lockRows(engineOf(db)))
    .executeTakeFirst()
}

/** Of any account; those that do not exist are left out. */
export function findChecksByIds(db: Kysely<Schema>, ids: readonly string[]): Promise<CheckRow[]> {
  return db
    .selectFrom('checks')
    .selectAll()
    .where(among(engineOf(db), 'id', ids))
    .execute()
}

/**
 * Its tags, runs, results, status and missed slots go with it. False when the account has no such check. The check
 * comes first and its runs before the rest: the order in which planning and taking in results lock them, too.
 */
export function deleteCheck(db: Kysely<Schema>, accountId: string, id: string): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const check = await tx
      .selectFrom('checks')
      .select('id')
      .where('id', '=', id)
      .where('accountId', '=', accountId)
      .$call(lockRows(engineOf(tx)))
      .executeTakeFirst()
    if (!check) return false
    // Whoever takes a ping locks it before the status.
    await tx.deleteFrom('heartbeats').where('checkId', '=', id).execute()
    await tx
      // In the order in which whoever renews their leases locks them.
      .with('runs', (qb) =>
        qb
          .selectFrom('checkRuns')
          .select('id')
          .where('checkId', '=', id)
          .orderBy('dueAt')
          .orderBy('id')
          .$call(lockRows(engineOf(tx))),
      )
      .deleteFrom('checkRuns')
      .where('id', 'in', (eb) => eb.selectFrom('runs').select('runs.id'))
      .execute()
    await tx.deleteFrom('checkResults').where('accountId', '=', accountId).where('checkId', '=', id).execute()
    await tx.deleteFrom('checkStatuses').where('checkId', '=', id).execute()
    await tx.deleteFrom('missedSlots').where('checkId', '=', id).execute()
    await tx.deleteFrom('heartbeatEvents').where('checkId', '=', id).execute()
    await tx.deleteFrom('checks').where('id', '=', id).execute()
    return true
  })
}

/** Newest first, then by id. */
export async function listChecks(
  db: Kysely<Schema>,
  accountId: string,
  filter: CheckFilter,
  page: Page,
): Promise<Paged<CheckRow>> {
  const matching = matchingChecks(db, accountId, filter)
  const { total } = await matching
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const rows = await matching
    .selectAll()
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .offset(page.offset)
    .limit(page.limit)
    .execute()
  return { rows, total }
}

/** Newest first, then by id. */
export function listChecksOfTypes(
  db: Kysely<Schema>,
  accountId: string,
  types: readonly string[],
): Promise<CheckRow[]> {
  return matchingChecks(db, accountId, { types })
    .selectAll()
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .execute()
}

/** At most `limit` checks of these types behind one of them, newest first, then by id; from the newest on without one. */
export function listChecksAfter(
  db: Kysely<Schema>,
  accountId: string,
  types: readonly string[],
  after: Pick<CheckRow, 'createdAt' | 'id'> | undefined,
  limit: number,
): Promise<CheckRow[]> {
  let query = matchingChecks(db, accountId, { types }).selectAll()
  if (after) {
    const { createdAt, id } = after
    // The first condition follows from the second and lets the index begin there.
    query = query
      .where('createdAt', '<=', createdAt)
      .where((eb) => eb.or([eb('createdAt', '<', createdAt), eb('id', '>', id)]))
  }
  return query.orderBy('createdAt', 'desc').orderBy('id').limit(limit).execute()
}

/** Ids of the account's checks that run at the private location. */
export async function checksUsingPrivateLocation(
  db: Kysely<Schema>,
  accountId: string,
  slug: string,
): Promise<string[]> {
  const rows = await db
    .selectFrom('checks')
    .select('id')
    .where('id', 'in', (eb) => eb.selectFrom('checkLocations').select('checkId').where('location', '=', slug))
    .where('accountId', '=', accountId)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Checks with a slot to plan, the longest due first: held until the transaction ends, and nobody else's meanwhile. */
export function lockChecksDueBefore(
  db: Kysely<Schema>,
  engine: Engine,
  beforeMs: number,
  limit: number,
): Promise<CheckRow[]> {
  return db
    .selectFrom('checks')
    .selectAll()
    .where('nextDueAt', '<=', beforeMs)
    .orderBy('nextDueAt')
    .orderBy('id')
    .limit(limit)
    .$call(lockFreeRows(engine))
    .execute()
}

/** Up to where the plans of these checks go, by their ids: one statement for all of them. */
export async function setNextDueAts(
  db: Kysely<Schema>,
  nextDueAts: ReadonlyMap<string, number>,
): Promise<void> {
  const given = JSON.stringify(Object.fromEntries(nextDueAts))
  const values =
    engineOf(db) === 'postgres'
      ? sql`select key, value::bigint as at from json_each_text(${given}::json)`
      : sql`select key, value as at from json_each(${given})`
  await sql`
    update checks set next_due_at = planned.at from (${values}) planned where checks.id = planned.key
  `.execute(db)
}
