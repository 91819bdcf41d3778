import type { Kysely } from 'kysely'
import type { Clock } from '../../../lib/clock.ts'
import { firstDueAfter } from '../../../rules/schedule.ts'
import { dropPlannedRuns } from '../../../storage/check-runs.ts'
import { lockChecksOfGroup, rescheduleCheck } from '../../../storage/checks-of-group.ts'
import type { Schema } from '../../../storage/schema.ts'
import { keepHeartbeat } from '../../heartbeats/keep-heartbeat.ts'
import { runsNow } from '../../stored/runs-now.ts'
import { changeInstant, closeSchedule, noteSchedule } from '../../stored/schedule-changes.ts'
import { storedCheck, storedGroup } from '../../stored/stored-check.ts'

/** What a group says has changed: its checks get a new version, and what was planned but not begun is planned anew. */
export async function renewChecks(
  db: Kysely<Schema>,
  group: Schema['checkGroups'],
  clock: Clock,
): Promise<void> {
  const settings = storedGroup(group)
  for (const row of await lockChecksOfGroup(db, group.id)) {
    const at = await changeInstant(db, row.id, clock)
    await closeSchedule(db, row, at)
    const nextDueAt = runsNow(storedCheck(row), settings) ? firstDueAfter(row, at) : null
    await rescheduleCheck(db, row.id, nextDueAt)
    await keepHeartbeat(db, row, settings, clock.now())
    await dropPlannedRuns(db, row.id, at)
    await noteSchedule(db, { ...row, nextDueAt }, settings, at)
  }
}
