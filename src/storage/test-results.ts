import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

/** The FINAL result of a run of a test, with all that the agent saw. */
export function findTestResult(
  db: Kysely<Schema>,
  { accountId, id, definitionId, dueAt }: Schema['checkRuns'],
): Promise<Schema['checkResults'] | undefined> {
  return db
    .selectFrom('checkResults')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('checkId', '=', definitionId)
    .where('dueAt', '=', dueAt)
    .where('runId', '=', id)
    .where('resultType', '=', 'FINAL')
    .executeTakeFirst()
}
