import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

type ApiKeyRow = Schema['apiKeys']

export async function insertApiKey(db: Kysely<Schema>, row: ApiKeyRow): Promise<void> {
  await db.insertInto('apiKeys').values(row).execute()
}

export function findApiKeyByHash(db: Kysely<Schema>, hash: string): Promise<ApiKeyRow | undefined> {
  return db.selectFrom('apiKeys').selectAll().where('hash', '=', hash).executeTakeFirst()
}

/** Oldest first. */
export function listApiKeys(db: Kysely<Schema>, accountId: string): Promise<ApiKeyRow[]> {
  return db
    .selectFrom('apiKeys')
    .selectAll()
    .where('accountId', '=', accountId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
}

/** False when the account has no such key. */
export async function deleteApiKey(db: Kysely<Schema>, accountId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('apiKeys')
    .where('id', '=', id)
    .where('accountId', '=', accountId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function touchApiKey(db: Kysely<Schema>, id: string, now: number): Promise<void> {
  await db.updateTable('apiKeys').set({ lastUsedAt: now }).where('id', '=', id).execute()
}
