import type { Kysely } from 'kysely'
import type { Allowances, Downtime } from '../../rules/heartbeat-deadline.ts'
import { maintenanceEndsAt } from '../../rules/maintenance.ts'
import { failedRunsAfter } from '../../storage/failed-runs.ts'
import { type HeartbeatRow, runHeartbeatsAmong } from '../../storage/heartbeats.ts'
import type { Schema } from '../../storage/schema.ts'
import { listDowntimes } from '../../storage/service-downtimes.ts'
import { tagsOfChecks } from '../../storage/tags-of-checks.ts'
import { windowsOfAccounts } from '../loops/maintenance.ts'

/** Where no deadline can have passed. */
export const noAllowances = (): Allowances => ({ downtimes: [] })

/**
 * Finds what is not held against each of these heartbeats: our own downtime, maintenance as its windows are now, and
 * whatever its runs did not see. A few reads for all of them. `since`: the earliest of what they count from; pings that
 * are told of begin no earlier.
 */
export async function allowancesOf(
  db: Kysely<Schema>,
  rows: readonly HeartbeatRow[],
  { since, unrecorded }: { readonly since: number; readonly unrecorded: Downtime | null },
): Promise<(row: HeartbeatRow) => Allowances> {
  const recorded = await listDowntimes(db, since)
  const downtimes = unrecorded ? [...recorded, unrecorded] : recorded
  const heldUntilOf = await maintenanceOf(db, rows)
  const failedRunsOf = await failedRuns(db, rows, since)
  return (row) => ({ downtimes, heldUntil: heldUntilOf(row), failedRunsAt: failedRunsOf(row) })
}

async function maintenanceOf(
  db: Kysely<Schema>,
  rows: readonly HeartbeatRow[],
): Promise<(row: HeartbeatRow) => Allowances['heldUntil']> {
  const windowsOf = await windowsOfAccounts(db, rows)
  const concerned = rows.filter(({ accountId }) => windowsOf(accountId).length > 0)
  if (concerned.length === 0) return () => undefined
  const tagsOf = await tagsOfChecks(
    db,
    concerned.map(({ checkId }) => checkId),
  )
  return ({ accountId, checkId }) => {
    const tags = tagsOf(checkId)
    return tags.size === 0 ? undefined : (at) => maintenanceEndsAt(windowsOf(accountId), tags, at)
  }
}

async function failedRuns(
  db: Kysely<Schema>,
  rows: readonly HeartbeatRow[],
  since: number,
): Promise<(row: HeartbeatRow) => readonly number[] | undefined> {
  const run = await runHeartbeatsAmong(
    db,
    rows.map(({ checkId }) => checkId),
  )
  if (run.size === 0) return () => undefined
  // Of these alone: beside a job that pings once a year, all runs of a year would be read.
  const countedFrom = rows.filter(({ checkId }) => run.has(checkId)).map(({ anchorAt }) => anchorAt ?? since)
  const failed = await failedRunsAfter(db, [...run], Math.min(...countedFrom))
  return ({ checkId }) => (run.has(checkId) ? (failed.get(checkId) ?? []) : undefined)
}
