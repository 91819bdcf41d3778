import type { Kysely } from 'kysely'
import { firstDueAfter } from '../../../rules/schedule.ts'
import { dropPlannedRuns } from '../../../storage/check-runs.ts'
import { lockChecksOfGroup, rescheduleCheck } from '../../../storage/checks-of-group.ts'
import type { Schema } from '../../../storage/schema.ts'
import { runsNow } from '../../stored/runs-now.ts'
import { anyCheckOf, storedGroup } from '../../stored/stored-check.ts'

/** What a group says has changed: its checks get a new version, and what was planned but not begun is planned anew. */
export async function renewChecks(
  db: Kysely<Schema>,
  group: Schema['checkGroups'],
  now: number,
): Promise<void> {
  const settings = storedGroup(group)
  for (const row of await lockChecksOfGroup(db, group.id)) {
    const runs = runsNow(anyCheckOf(row), settings)
    await rescheduleCheck(db, row.id, runs ? firstDueAfter(row, now) : null)
    await dropPlannedRuns(db, row.id, now)
  }
}
