import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

type ApiKeyRow = Schema['apiKeys']
type Owner = Pick<ApiKeyRow, 'kind' | 'userName'>
/** A service key, unless `owner` says otherwise. */
type NewApiKey = Omit<ApiKeyRow, keyof Owner | 'revokedAt'>

const service: Owner = { kind: 'service', userName: null }

export async function insertApiKey(
  db: Kysely<Schema>,
  row: NewApiKey,
  owner: Owner = service,
): Promise<void> {
  await db
    .insertInto('apiKeys')
    .values({ ...row, ...owner, revokedAt: null })
    .execute()
}

/** A revoked one, too: a key that came from the settings is not made again. */
export function findApiKeyByHash(db: Kysely<Schema>, hash: string): Promise<ApiKeyRow | undefined> {
  return db.selectFrom('apiKeys').selectAll().where('hash', '=', hash).executeTakeFirst()
}

/** Oldest first, without those that were revoked. */
export function listApiKeys(db: Kysely<Schema>, accountId: string): Promise<ApiKeyRow[]> {
  return db
    .selectFrom('apiKeys')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('revokedAt', 'is', null)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
}

/** False when the account has no such key, or it was revoked before. */
export async function revokeApiKey(
  db: Kysely<Schema>,
  { accountId, id }: Pick<ApiKeyRow, 'accountId' | 'id'>,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('apiKeys')
    .set({ revokedAt: now })
    .where('id', '=', id)
    .where('accountId', '=', accountId)
    .where('revokedAt', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function touchApiKey(db: Kysely<Schema>, id: string, now: number): Promise<void> {
  await db.updateTable('apiKeys').set({ lastUsedAt: now }).where('id', '=', id).execute()
}
