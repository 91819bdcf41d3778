import { setImmediate } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { expectedSlots, type ScheduleVersion, type Span, versionsIn } from '../../rules/audit.ts'
import { listScheduledChecks, listSchedules } from '../../storage/schedule-history.ts'
import type { Schema } from '../../storage/schema.ts'

/** A check with the history of its schedule, oldest first. */
export interface ExpectedCheck {
  readonly checkId: string
  readonly versions: readonly ScheduleVersion[]
}

const checksAtOnce = 50

/** The column holds what server/stored/schedule-changes wrote, and nothing else. */
function toVersion(row: Schema['checkSchedules']): ScheduleVersion {
  return {
    fromMs: row.fromAt,
    state: row.state,
    intervalMs: row.intervalMs,
    phaseMs: row.phaseMs,
    runParallel: row.runParallel === 1,
    locations: JSON.parse(row.locations) as string[],
  }
}

/** In turns of at most 50: every check that ever had a schedule, of one account or, with null, of all. */
export async function* expectedChecks(
  db: Kysely<Schema>,
  accountId: string | null,
): AsyncGenerator<ExpectedCheck[]> {
  for (let after = ''; ; ) {
    const ids = await listScheduledChecks(db, accountId, after, checksAtOnce)
    const last = ids.at(-1)
    if (last === undefined) return
    yield await readChecks(db, ids)
    await setImmediate()
    after = last
  }
}

export async function readChecks(db: Kysely<Schema>, checkIds: readonly string[]): Promise<ExpectedCheck[]> {
  const rows = Map.groupBy(await listSchedules(db, checkIds), ({ checkId }) => checkId)
  return [...rows].map(([checkId, versions]) => ({ checkId, versions: versions.map(toVersion) }))
}

export const isDeleted = ({ versions }: ExpectedCheck): boolean => versions.at(-1)?.state === 'deleted'

/** How many slots are expected of the check in the span. */
export const expectedOf = ({ versions }: ExpectedCheck, span: Span): number =>
  versionsIn(versions, span).reduce((sum, one) => sum + expectedSlots(one), 0)
