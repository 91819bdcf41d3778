import type { Kysely } from 'kysely'
import { among } from './among.ts'
import { engineOf } from './engine.ts'
import type { Schema } from './schema.ts'

/** Of each heartbeat that is pinged by it, up to a limit. */
export async function accountsOfToken(db: Kysely<Schema>, token: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('heartbeats')
    .select('accountId')
    .where('token', '=', token.toLowerCase())
    .limit(limit)
    .execute()
  return rows.map(({ accountId }) => accountId)
}

/** What these checks are pinged by; those that are no heartbeats are left out. */
export async function tokensOfHeartbeats(
  db: Kysely<Schema>,
  checkIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom('heartbeats')
    .select(['checkId', 'token'])
    .where(among(engineOf(db), 'checkId', checkIds))
    .execute()
  return new Map(rows.map(({ checkId, token }) => [checkId, token]))
}
