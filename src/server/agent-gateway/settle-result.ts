import type { Kysely } from 'kysely'
import type { AnyCheck } from '../../contract/checks/any-check.ts'
import type { Conclusion, Result } from '../../contract/result.ts'
import { effectiveCheck, locationsOf } from '../../rules/effective-check.ts'
import { measuresOf, statusCodeOf } from '../../rules/rollup-measures.ts'
import { type FinalResult, foldStatus, type Status } from '../../rules/status.ts'
import { insertResult } from '../../storage/check-results.ts'
import { finishRun, retryRun } from '../../storage/check-runs.ts'
import { lockStatus, saveStatus } from '../../storage/check-statuses.ts'
import { findChecksByIds } from '../../storage/checks.ts'
import type { Schema } from '../../storage/schema.ts'
import { flagOf } from '../../storage/tables/flag.ts'
import { anyCheckOf, groupsOf } from '../stored/stored-check.ts'
import { noteFailure } from './note-failure.ts'

type RunRow = Schema['checkRuns']

const outcomes = { passing: 'passed', degraded: 'degraded', failing: 'failed' } as const

function outcomeOf(conclusion: Conclusion): {
  outcome: NonNullable<RunRow['outcome']>
  reason: string | null
} {
  switch (conclusion.kind) {
    case 'judged':
      return { outcome: outcomes[conclusion.verdict.state], reason: null }
    case 'missed':
      return { outcome: 'missed', reason: conclusion.reason }
    case 'errored':
      return { outcome: 'errored', reason: conclusion.reason }
  }
}

function responseTimeMs(conclusion: Conclusion): number | null {
  return conclusion.kind === 'judged' ? conclusion.outcome.timings.totalUs / 1000 : null
}

function toRow(run: RunRow, result: Result, now: number): Schema['checkResults'] {
  const { conclusion } = result
  const state = conclusion.kind === 'judged' ? conclusion.verdict.state : null
  const overMax = conclusion.kind === 'judged' && conclusion.verdict.overMaxResponseTime
  return {
    id: result.id,
    accountId: run.accountId,
    checkId: run.definitionId ?? run.checkId,
    runId: run.id,
    resultType: result.resultType,
    attempt: result.attempt,
    location: run.location,
    dueAt: run.dueAt,
    startedAt: result.startedAt,
    stoppedAt: result.stoppedAt,
    createdAt: now,
    hasFailures: flagOf(state === 'failing'),
    hasErrors: flagOf(conclusion.kind === 'errored'),
    isDegraded: flagOf(state === 'degraded'),
    overMaxResponseTime: flagOf(overMax),
    responseTimeMs: responseTimeMs(conclusion),
    details: JSON.stringify(result),
    statusCode: statusCodeOf(result) ?? 0,
    measures: JSON.stringify(measuresOf(result) ?? {}),
  }
}

/**
 * One reported attempt: the result, the ledger's row and the status, or nothing where the slot has its final outcome
 * already (another agent's, or this very result sent again).
 */
export async function settleResult(
  db: Kysely<Schema>,
  run: RunRow,
  result: Result,
  now: number,
): Promise<void> {
  if (run.state === 'done' && run.outcome !== 'missed') return
  if (result.resultType === 'ATTEMPT' && result.retryAt !== null) {
    if (await insertResult(db, toRow(run, result, now))) {
      await retryRun(db, run.id, {
        attempt: result.attempt + 1,
        attemptAt: result.retryAt,
        firstStartedAt: run.firstStartedAt ?? result.startedAt,
      })
    }
    return
  }
  const settled = await finishRun(db, run.id, { ...outcomeOf(result.conclusion), at: now })
  if (!settled) return
  if (result.conclusion.kind !== 'missed') await insertResult(db, toRow(run, result, now))
  // A test's results are its session's alone.
  if (run.definitionId === null) await fold(db, run, result, now)
  await noteFailure(db, run, result)
}

function toFinalResult(run: RunRow, result: Result, check: AnyCheck): FinalResult {
  const { id: runId, location, dueAt } = run
  const { conclusion, id: resultId } = result
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
  const { tls } = observed ? outcome.observation : outcome.evidence
  return {
    ...slot,
    kind: 'judged',
    state: verdict.state,
    responseTimeMs: observed ? outcome.timings.totalUs / 1000 : null,
    sslDaysRemaining: tls?.daysRemaining ?? null,
  }
}

async function fold(db: Kysely<Schema>, run: RunRow, result: Result, now: number): Promise<void> {
  const [row] = await findChecksByIds(db, [run.checkId])
  if (!row) return
  const groupOf = await groupsOf(db, [row])
  const check = effectiveCheck(anyCheckOf(row), groupOf(row))
  const previous = await lockStatus(db, run.checkId)
  // Written by foldStatus below and by nothing else.
  const known = previous ? (JSON.parse(previous.status) as Status) : null
  const status = foldStatus(known, toFinalResult(run, result, check))
  await saveStatus(db, {
    checkId: run.checkId,
    accountId: run.accountId,
    status: JSON.stringify(status),
    hasFailures: flagOf(status.hasFailures),
    hasErrors: flagOf(status.hasErrors),
    isDegraded: flagOf(status.isDegraded),
    createdAt: previous?.createdAt ?? now,
    updatedAt: now,
  })
}
