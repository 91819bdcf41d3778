import type { Kysely } from 'kysely'
import { among } from './among.ts'
import { engineOf } from './engine.ts'
import type { Schema } from './schema.ts'

/** When those runs of each of these checks that failed were due, of those due after an instant, oldest first. */
export async function failedRunsAfter(
  db: Kysely<Schema>,
  checkIds: readonly string[],
  after: number,
): Promise<ReadonlyMap<string, number[]>> {
  const rows = await db
    .selectFrom('checkRuns')
    .select(['checkId', 'dueAt'])
    .where(among(engineOf(db), 'checkId', checkIds))
    .where('dueAt', '>', after)
    .where('outcome', '=', 'failed')
    .where('definitionId', 'is', null)
    .orderBy('dueAt')
    .execute()
  const ofChecks = Map.groupBy(rows, ({ checkId }) => checkId)
  return new Map([...ofChecks].map(([checkId, runs]) => [checkId, runs.map(({ dueAt }) => dueAt)]))
}
