import type { Kysely } from 'kysely'
import type { AnyCheck } from '../../contract/checks/any-check.ts'
import { effectiveCheck } from '../../rules/effective-check.ts'
import { findChecksByIds } from '../../storage/checks.ts'
import type { Schema } from '../../storage/schema.ts'
import { anyCheckOf, groupsOf } from '../stored/stored-check.ts'

/** The checks of these runs as they run in their groups, by their ids. */
export async function effectiveChecks(
  db: Kysely<Schema>,
  runs: readonly Pick<Schema['checkRuns'], 'checkId'>[],
): Promise<ReadonlyMap<string, AnyCheck>> {
  const rows = await findChecksByIds(db, [...new Set(runs.map(({ checkId }) => checkId))])
  const groupOf = await groupsOf(db, rows)
  return new Map(rows.map((row) => [row.id, effectiveCheck(anyCheckOf(row), groupOf(row))]))
}
