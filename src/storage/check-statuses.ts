import { type Kysely, sql } from 'kysely'
import { engineOf } from './engine.ts'
import { lockRows } from './row-locks.ts'
import type { Schema } from './schema.ts'

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
 * For the fold inside a transaction: whoever else folds into this status waits until the transaction ends, the first
 * fold too. Undefined when nothing was folded yet.
 */
export async function lockStatus(db: Kysely<Schema>, checkId: string): Promise<StatusRow | undefined> {
  const known = await lockKnown(db, checkId)
  if (known) return known
  await insertUnfolded(db, checkId)
  return lockKnown(db, checkId)
}

function lockKnown(db: Kysely<Schema>, checkId: string): Promise<StatusRow | undefined> {
  return folded(db)
    .where('checkId', '=', checkId)
    .$call(lockRows(engineOf(db)))
    .executeTakeFirst()
}

/** A row that does not exist cannot be locked: this one can, and a second insert of it waits for the first. */
async function insertUnfolded(db: Kysely<Schema>, checkId: string): Promise<void> {
  await db
    .insertInto('checkStatuses')
    .columns([
      'checkId',
      'accountId',
      'status',
      'hasFailures',
      'hasErrors',
      'isDegraded',
      'createdAt',
      'updatedAt',
    ])
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
        .where('id', '=', checkId),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function saveStatus(db: Kysely<Schema>, row: StatusRow): Promise<void> {
  const { checkId: _checkId, accountId: _accountId, ...fold } = row
  await db
    .insertInto('checkStatuses')
    .values(row)
    .onConflict((conflict) => conflict.column('checkId').doUpdateSet(fold))
    .execute()
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
