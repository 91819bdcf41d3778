import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Schedules, SchedulesRequest, SchedulesResponse } from '../../contract/agent-schedules.ts'
import type { MaintenanceWindowBody } from '../../contract/resources/maintenance-window.ts'
import type { Clock } from '../../lib/clock.ts'
import { effectiveCheck, locationsOf } from '../../rules/effective-check.ts'
import type { TaggedMaintenance } from '../../rules/maintenance.ts'
import { maintenanceOf } from '../../rules/maintenance-window.ts'
import { batchesOf } from '../../storage/batches.ts'
import type { Database } from '../../storage/database.ts'
import { findDefinedChecks } from '../../storage/definition-versions.ts'
import { listDocumentsOfAccounts } from '../../storage/documents-of-accounts.ts'
import { type ScheduledCheckRow, scheduledChecks } from '../../storage/scheduled-checks.ts'
import type { Schema } from '../../storage/schema.ts'
import type { AgentPrincipal } from '../http/authentication.ts'
import { scriptRuntime } from '../loops/plan-runs.ts'
import { anyCheckOf, groupsOf } from '../stored/stored-check.ts'
import { servedLocations } from './served-locations.ts'

interface SchedulesOptions {
  readonly database: Database
  readonly clock: Clock
}

type Window = Schedules['windows'][number]
interface AccountWindow extends TaggedMaintenance {
  readonly accountId: string
}

/**
 * What an agent may be given runs of, at the locations that it serves now: nothing when it holds that already. The
 * revision is over the version of every check that is scheduled, so that what costs is done when something changed.
 */
export async function schedulesFor(
  { database, clock }: SchedulesOptions,
  agent: AgentPrincipal,
  { capabilities, known }: SchedulesRequest,
): Promise<SchedulesResponse> {
  const db = database.kysely
  const { checkTypes, runtimes } = capabilities
  const locations = await servedLocations(db, agent, clock.now())
  const rows = await scheduledChecks(db, { accountId: agent.accountId, checkTypes })
  const windows = await windowsOf(db, rows)
  const revision = revisionOf({ locations, runtimes, rows, windows })
  if (revision === known) return { serverTime: clock.now(), revision, schedules: null }
  const checks = await checksAt(db, rows, { locations, runtimes, windows })
  const schedules = { locations: [...locations], checks, windows: windows.map(toWindow) }
  return { serverTime: clock.now(), revision, schedules }
}

const revisionOf = (facts: object): string =>
  createHash('sha256').update(JSON.stringify(facts)).digest('base64url')

const toWindow = ({ startMs, endMs, repeat }: AccountWindow): Window => ({ startMs, endMs, repeat })

/** The definition was validated before it was written, and is written nowhere else. */
async function windowsOf(db: Kysely<Schema>, rows: readonly ScheduledCheckRow[]): Promise<AccountWindow[]> {
  const accountIds = [...new Set(rows.map(({ accountId }) => accountId))]
  const documents = await listDocumentsOfAccounts(db, 'maintenance-window', accountIds)
  return documents
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ accountId, definition }) => ({
      accountId,
      ...maintenanceOf(JSON.parse(definition) as MaintenanceWindowBody),
    }))
}

interface Place {
  readonly locations: readonly string[]
  readonly runtimes: readonly string[]
  readonly windows: readonly AccountWindow[]
}

/** Between two batches the event loop turns: to read ten thousand definitions takes a while. */
async function checksAt(
  db: Kysely<Schema>,
  rows: readonly ScheduledCheckRow[],
  place: Place,
): Promise<Schedules['checks']> {
  const checks: Schedules['checks'] = []
  for (const batch of batchesOf(rows)) {
    const defined = await findDefinedChecks(
      db,
      batch.map(({ id }) => id),
    )
    const groupOf = await groupsOf(db, defined)
    for (const row of defined) {
      const group = groupOf(row)
      const check = effectiveCheck(anyCheckOf(row), group)
      const runtime = scriptRuntime(check, group)
      const locations = locationsOf(check)
      if (!locations.some((location) => place.locations.includes(location))) continue
      if (runtime !== null && !place.runtimes.includes(runtime)) continue
      const tags = new Set([...check.tags, ...(group?.tags ?? [])])
      const { id: checkId, intervalMs, phaseMs, definitionVersion: version } = row
      const windows = windowsFor(place.windows, row.accountId, tags)
      checks.push({
        checkId,
        version,
        intervalMs,
        phaseMs,
        locations,
        runParallel: check.runParallel,
        windows,
      })
    }
    await setImmediate()
  }
  return checks
}

/** Their indexes. */
function windowsFor(
  windows: readonly AccountWindow[],
  accountId: string,
  tags: ReadonlySet<string>,
): number[] {
  return windows.flatMap((window, index) =>
    window.accountId === accountId && window.tags.some((tag) => tags.has(tag)) ? index : [],
  )
}
