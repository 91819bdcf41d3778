import { type ExpressionBuilder, type Kysely, sql } from 'kysely'
import { batchesOf } from './batches.ts'
import type { Schema } from './schema.ts'

type Checks = ExpressionBuilder<Schema, 'checks'>

/** Of the definition that agents hold: of the check itself, and of what it shares with all checks of its account. */
export function definitionVersion(eb: Checks) {
  const shared = eb
    .selectFrom('sharedSettings')
    .select('sharedSettings.version')
    .whereRef('sharedSettings.accountId', '=', 'checks.accountId')
  return sql<number>`${eb.ref('checks.version')} + coalesce(${shared}, 0)`
}

/** What all checks of the account share has changed: each of their definitions has a new version. */
export async function renewDefinitions(db: Kysely<Schema>, accountId: string): Promise<void> {
  await db
    .insertInto('sharedSettings')
    .values({ accountId, version: 1 })
    .onConflict((conflict) =>
      conflict.column('accountId').doUpdateSet((eb) => ({ version: eb('sharedSettings.version', '+', 1) })),
    )
    .execute()
}

/**
 * As findChecksByIds, each with its definition's version. Both are of one instant: whoever reads the shared settings
 * afterwards has none that are older than what the version says.
 */
export async function findDefinedChecks(
  db: Kysely<Schema>,
  ids: readonly string[],
): Promise<(Schema['checks'] & { readonly definitionVersion: number })[]> {
  const found: (Schema['checks'] & { readonly definitionVersion: number })[] = []
  for (const batch of batchesOf(ids)) {
    const query = db.selectFrom('checks').selectAll().where('id', 'in', batch)
    found.push(...(await query.select((eb) => definitionVersion(eb).as('definitionVersion')).execute()))
  }
  return found
}
