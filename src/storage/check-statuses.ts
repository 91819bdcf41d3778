import { type Kysely, sql } from 'kysely'
import { among } from './among.ts'
import { engineOf } from './engine.ts'
import { lockRows } from './row-locks.ts'
import type { Schema } from './schema.ts'
import { rowWrite, writeRows } from './write-rows.ts'

type StatusRow = Schema['checkStatuses']

/** What `status` holds from the first lock of a status to its first fold. */
export const notFolded = ''

/** Undefined for a check without a result. */
export function findStatus(
  db: Kysely<Schema>,
  accountId: string,
  checkId: string,
): Promise<StatusRow | undefined> {
  return folded(db).where('checkId', '=', checkId).where('accountId', '=', accountId).executeTakeFirst()
}

/**
 * For folds inside a transaction: whoever else folds into one of these waits until the transaction ends, the first fold
 * too. Those that nothing was folded into yet are left out. Locked in the order of their checks, so that two that take
 * the same never wait for each other.
 */
export async function lockStatuses(
  db: Kysely<Schema>,
  checkIds: readonly string[],
): Promise<ReadonlyMap<string, StatusRow>> {
  const known = new Map<string, StatusRow>()
  if (checkIds.length === 0) return known
  const missing = new Set(checkIds)
  for (const row of await lockAll(db, checkIds)) {
    missing.delete(row.checkId)
    if (row.status !== notFolded) known.set(row.checkId, row)
  }
  if (missing.size === 0) return known
  await insertUnfolded(db, [...missing])
  for (const row of await lockAll(db, [...missing])) if (row.status !== notFolded) known.set(row.checkId, row)
  return known
}

function lockAll(db: Kysely<Schema>, checkIds: readonly string[]): Promise<StatusRow[]> {
  return db
    .selectFrom('checkStatuses')
    .selectAll()
    .where(among(engineOf(db), 'checkId', checkIds))
    .orderBy('checkId')
    .$call(lockRows(engineOf(db)))
    .execute()
}

/** A row that does not exist cannot be locked: this one can, and a second insert of it waits for the first. */
async function insertUnfolded(db: Kysely<Schema>, checkIds: readonly string[]): Promise<void> {
  await db
    .insertInto('checkStatuses')
    .columns([...columns])
    .expression((eb) =>
      eb
        .selectFrom('checks')
        .select([
          'id',
          'accountId',
          sql.lit(notFolded).as('status'),
          sql.lit(0).as('hasFailures'),
          sql.lit(0).as('hasErrors'),
          sql.lit(0).as('isDegraded'),
          sql.lit(0).as('createdAt'),
          sql.lit(0).as('updatedAt'),
        ])
        .where(among(engineOf(db), 'id', checkIds))
        .orderBy('id'),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

const columns = [
  'checkId',
  'accountId',
  'status',
  'hasFailures',
  'hasErrors',
  'isDegraded',
  'createdAt',
  'updatedAt',
] as const satisfies readonly (keyof StatusRow)[]
const statusWrite = rowWrite('checkStatuses', columns, ['checkId'], 'replace')

export async function saveStatuses(db: Kysely<Schema>, rows: readonly StatusRow[]): Promise<void> {
  await writeRows(db, statusWrite, rows)
}

/** Of the account's checks that have a result, with their names; newest check first. */
export function listStatuses(
  db: Kysely<Schema>,
  accountId: string,
): Promise<(StatusRow & { readonly name: string })[]> {
  return db
    .selectFrom('checkStatuses')
    .innerJoin('checks', 'checks.id', 'checkStatuses.checkId')
    .selectAll('checkStatuses')
    .select('checks.name')
    .where('checkStatuses.accountId', '=', accountId)
    .where('checkStatuses.status', '<>', notFolded)
    .orderBy('checks.createdAt', 'desc')
    .orderBy('checks.id')
    .execute()
}

function folded(db: Kysely<Schema>) {
  return db.selectFrom('checkStatuses').selectAll().where('status', '<>', notFolded)
}
