import type { Kysely } from 'kysely'
import type { Result } from '../../contract/result.ts'
import { runIdOf } from '../../contract/run-ids.ts'
import { isExpected } from '../../rules/audit.ts'
import { enqueueRuns } from '../../storage/check-runs.ts'
import { findChecksByIds } from '../../storage/checks.ts'
import type { Schema } from '../../storage/schema.ts'
import { lockRuns } from '../../storage/settled-runs.ts'
import { flagOf } from '../../storage/tables/flag.ts'
import { readChecks } from '../audit/expected-checks.ts'
import { isDataCenter } from '../loops/location-watch.ts'

type RunRow = Schema['checkRuns']

/**
 * Runs of slots that an agent carried out by itself while nobody planned them, because no server was up or the agent could
 * reach none: those that the schedule of their check expected at that time come into the ledger, and are locked. Nothing is
 * said of the others: their check was deleted, or changed before.
 */
export async function adoptSlots(
  db: Kysely<Schema>,
  results: readonly Result[],
  now: number,
): Promise<RunRow[]> {
  const slots = new Map(results.filter(isSlot).map((result) => [result.runId, result]))
  if (slots.size === 0) return []
  const checkIds = [...new Set([...slots.values()].map(({ checkId }) => checkId))]
  const checks = new Map((await findChecksByIds(db, checkIds)).map((row) => [row.id, row]))
  const expected = new Map((await readChecks(db, checkIds)).map((check) => [check.checkId, check.versions]))
  const runs = [...slots.values()].flatMap((result) => {
    const check = checks.get(result.checkId)
    return check && isExpected(expected.get(result.checkId) ?? [], result) ? [toRun(check, result, now)] : []
  })
  await enqueueRuns(db, runs)
  return lockRuns(
    db,
    runs.map(({ id }) => id),
  )
}

const isSlot = ({ runId, checkId, location, dueAt }: Result): boolean =>
  runId === runIdOf(checkId, location, dueAt)

/** As it was leased: its result is here. */
function toRun(check: Schema['checks'], { runId, version, location, dueAt }: Result, now: number): RunRow {
  return {
    id: runId,
    accountId: check.accountId,
    checkId: check.id,
    checkType: check.type,
    version,
    location,
    slotLocation: null,
    dataCenter: flagOf(isDataCenter(location)),
    runtime: null,
    dueAt,
    intervalMs: check.intervalMs,
    state: 'pending',
    attempt: 1,
    attemptAt: dueAt,
    firstStartedAt: null,
    agentId: null,
    leaseUntil: null,
    outcome: null,
    reason: null,
    createdAt: now,
    sessionId: null,
    definitionId: null,
    finishedAt: null,
  }
}
