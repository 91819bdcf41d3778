import type { Clock } from '../../lib/clock.ts'
import { enqueueRuns } from '../../storage/check-runs.ts'
import { lockChecksDueBefore, setNextDueAts } from '../../storage/checks.ts'
import type { Database } from '../../storage/database.ts'
import { insertMissedSlots } from '../../storage/missed-slots.ts'
import { groupsOf } from '../stored/stored-check.ts'
import type { WakeUp } from '../wake-up.ts'
import { isDataCenter, type LocationWatch } from './location-watch.ts'
import { maintenanceOfAccounts } from './maintenance.ts'
import { planRuns } from './plan-runs.ts'

export interface SchedulerOptions {
  readonly database: Database
  readonly clock: Clock
  readonly locations: LocationWatch
  readonly planned: WakeUp
}

const tickMs = 1000
/** Runs are in the queue this long before they are due, so that agents hold them in time. */
const planAheadMs = 5000
const checksATurn = 500

/**
 * One turn: plans every slot that falls due within `planAheadMs`. Several servers may do so at once: each takes checks
 * that no other holds, and a run planned twice is one run. Returns the milliseconds until the next turn.
 */
export async function schedulerTurn(options: SchedulerOptions): Promise<number> {
  const { database, clock, locations, planned } = options
  const now = clock.now()
  const untilMs = now + planAheadMs
  await locations.refresh(now)
  const count = await database.transaction(async (db) => {
    const rows = await lockChecksDueBefore(db, database.engine, untilMs, checksATurn)
    const input = {
      now,
      untilMs,
      isDataCenter,
      isServed: (accountId: string, location: string) => locations.isServed(accountId, location),
      isUnderMaintenance: await maintenanceOfAccounts(db, rows),
    }
    const groupOf = await groupsOf(db, rows)
    const plans = rows.map((row) => ({ row, plan: planRuns(row, groupOf(row), input) }))
    await enqueueRuns(
      db,
      plans.flatMap(({ plan }) => plan.runs),
    )
    for (const { plan } of plans) if (plan.missed) await insertMissedSlots(db, plan.missed)
    await setNextDueAts(db, new Map(plans.map(({ row, plan }) => [row.id, plan.nextDueAt])))
    return rows.length
  })
  if (count > 0) planned.signal()
  return count === checksATurn ? 0 : tickMs
}
