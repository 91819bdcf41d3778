import type { Kysely } from 'kysely'
import type { CheckResultResource } from '../../../contract/resources/check-result.ts'
import type { Result } from '../../../contract/result.ts'
import { findRuns } from '../../../storage/check-runs.ts'
import type { Schema } from '../../../storage/schema.ts'
import { findTestResult } from '../../../storage/test-results.ts'
import { found } from '../../http/api-error.ts'
import { testFactsOf } from '../../on-demand/test-facts.ts'
import { errorGroupOf } from '../../stored/error-group-of.ts'

/** As results of checks are shown. */
export type ToCheckResult = (row: Schema['checkResults'], checkName: string) => CheckResultResource

/** The result of a test, under its check's own id; its id is that of the run, which it has before it ends. @throws ApiError 404 */
export async function showResult(
  db: Kysely<Schema>,
  session: Schema['sessions'],
  runId: string,
  toCheckResult: ToCheckResult,
): Promise<CheckResultResource> {
  const what = 'result of this test session'
  const check = found(
    testFactsOf(session).checks.find((one) => one.runId === runId),
    what,
  )
  const [run] = await findRuns(db, [runId])
  const row = found(await findTestResult(db, found(run, what)), what)
  // Validated when it was taken in.
  const { conclusion } = JSON.parse(row.details) as Result
  const group = errorGroupOf(session.accountId, conclusion)
  return {
    ...toCheckResult({ ...row, id: runId, checkId: check.checkId }, check.name),
    errorGroupIds: group ? [group.id] : null,
  }
}
