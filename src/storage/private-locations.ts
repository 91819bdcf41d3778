import type { Kysely } from 'kysely'
import { engineOf } from './engine.ts'
import { lockRows } from './row-locks.ts'
import type { Schema } from './schema.ts'

type PrivateLocationRow = Schema['privateLocations']
type PrivateLocationUpdate = Pick<PrivateLocationRow, 'name' | 'icon' | 'proxyUrl' | 'updatedAt'>

/** False when the account has a location with this slug already. */
export async function insertPrivateLocation(db: Kysely<Schema>, row: PrivateLocationRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('privateLocations')
    .values(row)
    .onConflict((conflict) => conflict.columns(['accountId', 'slugName']).doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

/** Oldest first. */
export function listPrivateLocations(db: Kysely<Schema>, accountId: string): Promise<PrivateLocationRow[]> {
  return inOrder(db).where('accountId', '=', accountId).execute()
}

/** Of every account. */
export function listAllPrivateLocations(db: Kysely<Schema>): Promise<PrivateLocationRow[]> {
  return inOrder(db).execute()
}

export function findPrivateLocation(
  db: Kysely<Schema>,
  accountId: string,
  id: string,
): Promise<PrivateLocationRow | undefined> {
  return inOrder(db).where('id', '=', id).where('accountId', '=', accountId).executeTakeFirst()
}

/** As findPrivateLocation; until the transaction ends nobody else changes it. */
export function lockPrivateLocation(
  db: Kysely<Schema>,
  accountId: string,
  id: string,
): Promise<PrivateLocationRow | undefined> {
  return inOrder(db)
    .where('id', '=', id)
    .where('accountId', '=', accountId)
    .$call(lockRows(engineOf(db)))
    .executeTakeFirst()
}

export function findPrivateLocationBySlug(
  db: Kysely<Schema>,
  accountId: string,
  slugName: string,
): Promise<PrivateLocationRow | undefined> {
  return inOrder(db).where('slugName', '=', slugName).where('accountId', '=', accountId).executeTakeFirst()
}

/** Those of `slugs` that the account has: until the transaction ends nobody deletes one. */
export async function lockPrivateLocations(
  db: Kysely<Schema>,
  accountId: string,
  slugs: readonly string[],
): Promise<PrivateLocationRow[]> {
  if (slugs.length === 0) return []
  return inOrder(db)
    .where('accountId', '=', accountId)
    .where('slugName', 'in', slugs)
    .$call(lockRows(engineOf(db)))
    .execute()
}

/** Its slug is for life (semantics §1). False when the account has no such location. */
export async function updatePrivateLocation(
  db: Kysely<Schema>,
  accountId: string,
  id: string,
  { name, icon, proxyUrl, updatedAt }: PrivateLocationUpdate,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('privateLocations')
    .set({ name, icon, proxyUrl, updatedAt })
    .where('id', '=', id)
    .where('accountId', '=', accountId)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Only where it is still `from`. */
export async function replaceProxyUrl(
  db: Kysely<Schema>,
  id: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  await db
    .updateTable('privateLocations')
    .set({ proxyUrl: to })
    .where('id', '=', id)
    .where('proxyUrl', '=', from)
    .execute()
}

/** Its keys go with it. False when the account has no such location. */
export async function deletePrivateLocation(
  db: Kysely<Schema>,
  accountId: string,
  id: string,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('privateLocations')
    .where('id', '=', id)
    .where('accountId', '=', accountId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

function inOrder(db: Kysely<Schema>) {
  return db.selectFrom('privateLocations').selectAll().orderBy('createdAt').orderBy('id')
}
