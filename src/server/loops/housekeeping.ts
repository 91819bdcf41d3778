import { schedule } from 'node-cron'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { deleteAgentErrorReportsBefore } from '../../storage/agent-error-reports.ts'
import { deleteAgentsUnseenSince } from '../../storage/agents.ts'
import { deleteResultsBefore } from '../../storage/check-results.ts'
import { deleteDoneRunsBefore } from '../../storage/check-runs.ts'
import type { Database } from '../../storage/database.ts'
import { deleteLocationMetricsBefore } from '../../storage/location-metrics.ts'

export interface HousekeepingOptions {
  readonly database: Database
  readonly clock: Clock
  readonly logger: Logger
  readonly resultRetentionDays: number
}

const dayMs = 24 * 60 * 60_000
/** Longer than an agent may keep a result before it delivers it, so that a late one still finds its run. */
const runRetentionDays = 14
/** The window of the metrics route, and a day more. */
const metricsRetentionDays = 16
const agentRetentionDays = 30
const hourly = '17 * * * *'

/** Removes what is older than its retention. */
export async function removeExpired(options: HousekeepingOptions): Promise<void> {
  const { database, clock, resultRetentionDays } = options
  const db = database.kysely
  const before = (days: number) => clock.now() - days * dayMs
  await deleteResultsBefore(db, before(resultRetentionDays))
  await deleteDoneRunsBefore(db, before(Math.max(runRetentionDays, resultRetentionDays)))
  await deleteLocationMetricsBefore(db, before(metricsRetentionDays))
  await deleteAgentErrorReportsBefore(db, before(agentRetentionDays))
  await deleteAgentsUnseenSince(db, before(agentRetentionDays))
}

/** Every hour. Returns what stops it. */
export function startHousekeeping(options: HousekeepingOptions): () => Promise<void> {
  const task = schedule(
    hourly,
    async () => {
      try {
        await removeExpired(options)
      } catch (error) {
        options.logger.error(
          { err: error },
          'housekeeping failed: expired rows stay until it succeeds, in an hour',
        )
      }
    },
    { noOverlap: true },
  )
  return async () => {
    await task.destroy()
  }
}
