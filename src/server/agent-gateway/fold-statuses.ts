import type { Kysely } from 'kysely'
import type { AnyCheck } from '../../contract/checks/any-check.ts'
import type { Result } from '../../contract/result.ts'
import { locationsOf } from '../../rules/effective-check.ts'
import { certificateDaysOf } from '../../rules/rollup-measures.ts'
import { type FinalResult, foldStatus, type Status } from '../../rules/status.ts'
import { lockStatuses, saveStatuses } from '../../storage/check-statuses.ts'
import type { Schema } from '../../storage/schema.ts'
import { flagOf } from '../../storage/tables/flag.ts'
import type { Settled } from './conclude-runs.ts'
import { effectiveChecks } from './effective-checks.ts'

type RunRow = Schema['checkRuns']

/** Folds final results, in their order, into the statuses of their checks; those of checks that are gone fold nowhere. */
export async function foldStatuses(
  db: Kysely<Schema>,
  finals: readonly Settled[],
  now: number,
): Promise<void> {
  const checkOf = await effectiveChecks(
    db,
    finals.map(({ run }) => run),
  )
  const foldable = finals.filter(({ run }) => checkOf.has(run.checkId))
  const before = await lockStatuses(db, [...new Set(foldable.map(({ run }) => run.checkId))])
  const after = new Map<string, Status>()
  for (const { run, result } of foldable) {
    const check = checkOf.get(run.checkId)
    if (!check) continue
    const known = after.get(run.checkId) ?? storedStatus(before.get(run.checkId))
    after.set(run.checkId, foldStatus(known, toFinalResult(run, result, check)))
  }
  await saveStatuses(db, statusRows(foldable, after, before, now))
}

/** Written by foldStatus and by nothing else. */
const storedStatus = (row: Schema['checkStatuses'] | undefined): Status | null =>
  row ? (JSON.parse(row.status) as Status) : null

function statusRows(
  finals: readonly Settled[],
  after: ReadonlyMap<string, Status>,
  before: ReadonlyMap<string, Schema['checkStatuses']>,
  now: number,
): Schema['checkStatuses'][] {
  const accounts = new Map(finals.map(({ run }) => [run.checkId, run.accountId]))
  return [...after].map(([checkId, status]) => ({
    checkId,
    accountId: accounts.get(checkId) ?? '',
    status: JSON.stringify(status),
    hasFailures: flagOf(status.hasFailures),
    hasErrors: flagOf(status.hasErrors),
    isDegraded: flagOf(status.isDegraded),
    createdAt: before.get(checkId)?.createdAt ?? now,
    updatedAt: now,
  }))
}

function toFinalResult(run: RunRow, result: Result, check: AnyCheck): FinalResult {
  const { id: runId, dueAt } = run
  const { conclusion, id: resultId, location } = result
  const slot = {
    runId,
    resultId,
    location,
    dueAt,
    runParallel: check.runParallel,
    locations: locationsOf(check),
  }
  if (conclusion.kind !== 'judged') return { ...slot, kind: conclusion.kind }
  const { outcome, verdict } = conclusion
  const observed = outcome.kind === 'observed'
  return {
    ...slot,
    kind: 'judged',
    state: verdict.state,
    responseTimeMs: observed ? outcome.timings.totalUs / 1000 : null,
    sslDaysRemaining: certificateDaysOf(outcome),
  }
}
