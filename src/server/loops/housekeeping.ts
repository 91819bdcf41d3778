import { schedule } from 'node-cron'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { dayMs } from '../../rules/rollup-time.ts'
import { deleteAgentErrorReportsBefore } from '../../storage/agent-error-reports.ts'
import { deleteAgentsUnseenSince } from '../../storage/agents.ts'
import { deleteCheckAlertsBefore } from '../../storage/check-alerts.ts'
import { deleteResultsBefore } from '../../storage/check-results.ts'
import { deleteDoneRunsBefore } from '../../storage/check-runs.ts'
import type { Database } from '../../storage/database.ts'
import { deleteHeartbeatEventsBefore } from '../../storage/heartbeat-pings.ts'
import { deleteLocationMetricsBefore } from '../../storage/location-metrics.ts'
import { deleteMissedSlotsBefore } from '../../storage/missed-slots.ts'
import { makeResultPartitions } from '../../storage/result-partitions.ts'
import { readRolledUntil } from '../../storage/rollup-progress.ts'
import { deleteRollupsBefore } from '../../storage/rollups.ts'
import { deleteSchedulesBefore } from '../../storage/schedule-history.ts'
import { deleteDowntimesBefore } from '../../storage/service-downtimes.ts'
import { deleteSessionsBefore } from '../../storage/sessions.ts'
import { rollUp } from './roll-up.ts'

export interface HousekeepingOptions {
  readonly database: Database
  readonly clock: Clock
  readonly logger: Logger
  readonly resultRetentionDays: number
  readonly rollupRetentionDays: number
  readonly missedSlotRetentionDays: number
}

type Task = (options: HousekeepingOptions) => Promise<unknown>

/** What is removed when it is older than so many days; each line stands alone. */
interface Retention {
  readonly days: (options: HousekeepingOptions) => number
  readonly remove: (database: Database, before: number) => Promise<unknown>
}

const retentions: readonly Retention[] = [
  { days: ({ resultRetentionDays }) => resultRetentionDays, remove: deleteRolledResultsBefore },
  {
    days: ({ resultRetentionDays }) => Math.max(14, resultRetentionDays),
    remove: ({ kysely }, before) => deleteSessionsBefore(kysely, before),
  },
  {
    // Longer than an agent may keep a result before it delivers it, so that a late one still finds its run.
    days: ({ resultRetentionDays }) => Math.max(14, resultRetentionDays),
    remove: ({ kysely }, before) => deleteDoneRunsBefore(kysely, before),
  },
  {
    // As long as the runs that were expected by it, and a day more.
    days: ({ resultRetentionDays }) => Math.max(14, resultRetentionDays) + 1,
    remove: ({ kysely }, before) => deleteSchedulesBefore(kysely, before),
  },
  {
    days: ({ rollupRetentionDays }) => rollupRetentionDays,
    remove: ({ kysely }, before) => deleteRollupsBefore(kysely, before),
  },
  {
    days: ({ rollupRetentionDays }) => rollupRetentionDays,
    remove: ({ kysely }, before) => deleteCheckAlertsBefore(kysely, before),
  },
  {
    days: ({ missedSlotRetentionDays }) => missedSlotRetentionDays,
    remove: ({ kysely }, before) => deleteMissedSlotsBefore(kysely, before),
  },
  {
    days: ({ resultRetentionDays }) => resultRetentionDays,
    remove: ({ kysely }, before) => deleteHeartbeatEventsBefore(kysely, before),
  },
  // Twice the longest period: the timer of a heartbeat may be as old.
  { days: () => 730, remove: ({ kysely }, before) => deleteDowntimesBefore(kysely, before) },
  // The window of the metrics route, and a day more.
  { days: () => 16, remove: ({ kysely }, before) => deleteLocationMetricsBefore(kysely, before) },
  { days: () => 30, remove: ({ kysely }, before) => deleteAgentErrorReportsBefore(kysely, before) },
  { days: () => 30, remove: ({ kysely }, before) => deleteAgentsUnseenSince(kysely, before) },
]

/** What no figures were made of yet stays, however old it is. */
async function deleteRolledResultsBefore(database: Database, before: number): Promise<void> {
  const until = await readRolledUntil(database.kysely)
  if (until !== null) await deleteResultsBefore(database, Math.min(before, until))
}

/** Removes what is older than its retention. */
export async function removeExpired(options: HousekeepingOptions): Promise<void> {
  const now = options.clock.now()
  for (const { days, remove } of retentions) await remove(options.database, now - days(options) * dayMs)
}

/** A late result of an expired hour is in its figures before it goes. */
async function rollUpAndRemove(options: HousekeepingOptions): Promise<void> {
  await rollUp(options)
  await removeExpired(options)
}

const makePartitions: Task = ({ database, clock }) => makeResultPartitions(database, clock.now())

/** Between two rollups by a minute that no other one has, so that servers do not all begin in the same second. */
const plan: readonly { readonly what: string; readonly cron: string; readonly task: Task }[] = [
  { what: 'making partitions', cron: '7 * * * *', task: makePartitions },
  { what: 'rolling up results', cron: '*/5 * * * *', task: rollUp },
  { what: 'removing what is expired', cron: '17 * * * *', task: rollUpAndRemove },
]

/** Every hour, rollups every five minutes; partitions at once, too. Returns what stops it. */
export function startHousekeeping(options: HousekeepingOptions): () => Promise<void> {
  const attempt = async (what: string, task: Task) => {
    try {
      await task(options)
    } catch (error) {
      options.logger.error({ err: error }, `housekeeping: ${what} failed and is tried again within the hour`)
    }
  }
  const first = attempt('making partitions', makePartitions)
  const tasks = plan.map(({ what, cron, task }) =>
    schedule(cron, () => attempt(what, task), { noOverlap: true }),
  )
  return async () => {
    await first
    for (const task of tasks) await task.destroy()
  }
}
