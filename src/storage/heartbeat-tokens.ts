import type { Kysely } from 'kysely'
import { among } from './among.ts'
import { engineOf } from './engine.ts'
import type { Schema } from './schema.ts'

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
