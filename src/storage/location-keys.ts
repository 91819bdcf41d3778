import type { Kysely } from 'kysely'
import { engineOf } from './engine.ts'
import { inTransaction } from './in-transaction.ts'
import { lockRows } from './row-locks.ts'
import type { Schema } from './schema.ts'

type LocationKeyRow = Schema['locationKeys']

/** False when its private location has `maxKeys` already, or is gone. A data-center location has any number. */
export function insertLocationKey(
  db: Kysely<Schema>,
  row: LocationKeyRow,
  maxKeys: number,
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const { privateLocationId } = row
    if (privateLocationId !== null && !(await hasRoom(tx, privateLocationId, maxKeys))) return false
    await tx.insertInto('locationKeys').values(row).execute()
    return true
  })
}

/** Holds the location until the transaction ends: whoever else counts its keys waits, and counts the new one too. */
async function hasRoom(tx: Kysely<Schema>, privateLocationId: string, maxKeys: number): Promise<boolean> {
  const location = await tx
    .selectFrom('privateLocations')
    .select('id')
    .where('id', '=', privateLocationId)
    .$call(lockRows(engineOf(tx)))
    .executeTakeFirst()
  if (!location) return false
  const { keys } = await tx
    .selectFrom('locationKeys')
    .select(({ fn }) => fn.countAll<number>().as('keys'))
    .where('privateLocationId', '=', privateLocationId)
    .executeTakeFirstOrThrow()
  return keys < maxKeys
}

export function findLocationKeyByHash(db: Kysely<Schema>, hash: string): Promise<LocationKeyRow | undefined> {
  return db.selectFrom('locationKeys').selectAll().where('hash', '=', hash).executeTakeFirst()
}

/** Oldest first. */
export async function listLocationKeys(
  db: Kysely<Schema>,
  privateLocationIds: readonly string[],
): Promise<LocationKeyRow[]> {
  if (privateLocationIds.length === 0) return []
  return inOrder(db).where('privateLocationId', 'in', privateLocationIds).execute()
}

/** False when the account's private location has no such key. */
export async function deleteLocationKey(
  db: Kysely<Schema>,
  accountId: string,
  privateLocationId: string,
  id: string,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('locationKeys')
    .where('id', '=', id)
    .where('privateLocationId', '=', privateLocationId)
    .where('accountId', '=', accountId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Oldest first. */
export function listDataCenterKeys(db: Kysely<Schema>): Promise<LocationKeyRow[]> {
  return inOrder(db).where('privateLocationId', 'is', null).execute()
}

/** False when no data-center location has such a key. */
export async function deleteDataCenterKey(db: Kysely<Schema>, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('locationKeys')
    .where('id', '=', id)
    .where('privateLocationId', 'is', null)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

function inOrder(db: Kysely<Schema>) {
  return db.selectFrom('locationKeys').selectAll().orderBy('createdAt').orderBy('id')
}
