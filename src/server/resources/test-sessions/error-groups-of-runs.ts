import type { Kysely } from 'kysely'
import type { Result } from '../../../contract/result.ts'
import type { Schema } from '../../../storage/schema.ts'
import { findTestResult } from '../../../storage/test-results.ts'
import { errorGroupOf } from '../../stored/error-group-of.ts'

/** A result may be a megabyte: of more failures than this the first ones tell. */
const mostRead = 100

/** The error groups of the runs that failed, by the ids of the runs. */
export async function errorGroupsOfRuns(
  db: Kysely<Schema>,
  runs: readonly Schema['checkRuns'][],
): Promise<ReadonlyMap<string, string>> {
  const groups = new Map<string, string>()
  for (const run of runs.filter(({ outcome }) => outcome === 'failed').slice(0, mostRead)) {
    const row = await findTestResult(db, run)
    if (!row) continue
    // Validated when it was taken in.
    const { conclusion } = JSON.parse(row.details) as Result
    const group = errorGroupOf(run.accountId, conclusion)
    if (group) groups.set(run.id, group.id)
  }
  return groups
}
