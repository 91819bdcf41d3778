import type { Kysely } from 'kysely'
import { among } from './among.ts'
import { engineOf } from './engine.ts'
import type { Schema } from './schema.ts'

/** The tags of each of these checks, its own and its group's. */
export async function tagsOfChecks(
  db: Kysely<Schema>,
  checkIds: readonly string[],
): Promise<(checkId: string) => ReadonlySet<string>> {
  const own = await db
    .selectFrom('checkTags')
    .select(['checkId', 'tag'])
    .where(among(engineOf(db), 'checkId', checkIds))
    .execute()
  const ofGroups = await db
    .selectFrom('checks')
    .innerJoin('checkGroupTags', 'checkGroupTags.groupId', 'checks.groupId')
    .select(['checks.id as checkId', 'checkGroupTags.tag'])
    .where(among(engineOf(db), 'checks.id', checkIds))
    .execute()
  const rows = Map.groupBy([...own, ...ofGroups], ({ checkId }) => checkId)
  return (checkId) => new Set((rows.get(checkId) ?? []).map(({ tag }) => tag))
}
