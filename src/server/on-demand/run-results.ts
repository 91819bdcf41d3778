import type { Kysely } from 'kysely'
import type { CheckTypeName } from '../../contract/check-types.ts'
import type { CheckSessionResult } from '../../contract/resources/check-session.ts'
import { dateTimeText } from '../../contract/wire-time.ts'
import { isCancelled } from '../../rules/session-status.ts'
import { findChecksByIds } from '../../storage/checks.ts'
import type { Schema } from '../../storage/schema.ts'
import { listResultsOfRuns, type ShortResult } from '../../storage/session-results.ts'
import { checkTypeOf } from '../stored/stored-check.ts'

type RunRow = Schema['checkRuns']

/** A run that has ended, and its result where it was made. */
export interface EndedRun {
  readonly run: RunRow
  readonly result: ShortResult | undefined
  readonly name: string
  readonly checkType: CheckTypeName
}

/** What there is of each run, in their order; `from` is when their session began. */
export async function endedRuns(
  db: Kysely<Schema>,
  runs: readonly RunRow[],
  from: number,
): Promise<EndedRun[]> {
  const done = runs.filter(({ state }) => state === 'done')
  const results = new Map((await listResultsOfRuns(db, done, from)).map((row) => [row.runId, row]))
  const checks = await findChecksByIds(db, [...new Set(done.map(({ checkId }) => checkId))])
  const names = new Map(checks.map(({ id, name }) => [id, name]))
  return done.map((run) => ({
    run,
    result: results.get(run.id),
    name: names.get(run.checkId) ?? '',
    checkType: checkTypeOf({ type: run.checkType }),
  }))
}

/** As a session of checks shows it. A run that was never made has no result of its own: the session is all there is. */
export function toSessionResult(
  { run, result, name, checkType }: EndedRun,
  links: { readonly origin: string; readonly session: string },
): CheckSessionResult {
  const cancelled = isCancelled(run)
  return {
    checkResultId: result?.id ?? run.id,
    checkResultLink: result ? `${links.origin}/v1/check-results/${run.checkId}/${result.id}` : links.session,
    checkId: run.checkId,
    checkType,
    name,
    runLocation: result?.location ?? run.location,
    resultType: result ? result.resultType : null,
    hasErrors: run.outcome === 'errored' || (run.outcome === 'missed' && !cancelled),
    hasFailures: run.outcome === 'failed',
    isDegraded: run.outcome === 'degraded',
    aborted: cancelled,
    isCancelled: cancelled,
    responseTime: result?.responseTimeMs ?? null,
    startedAt: result ? dateTimeText(result.startedAt) : null,
    stoppedAt: result ? dateTimeText(result.stoppedAt) : null,
    reason: run.reason,
  }
}

/** An attempt after which its run goes on, as a session of checks shows it. */
function toAttemptResult(
  result: ShortResult,
  run: Pick<EndedRun, 'name' | 'checkType'>,
  { origin }: { readonly origin: string },
): CheckSessionResult {
  const { id, checkId, location, resultType } = result
  return {
    checkResultId: id,
    checkResultLink: `${origin}/v1/check-results/${checkId}/${id}`,
    checkId,
    checkType: run.checkType,
    name: run.name,
    runLocation: location,
    resultType,
    hasErrors: result.hasErrors === 1,
    hasFailures: result.hasFailures === 1,
    isDegraded: result.isDegraded === 1,
    aborted: false,
    isCancelled: false,
    responseTime: result.responseTimeMs,
    startedAt: dateTimeText(result.startedAt),
    stoppedAt: dateTimeText(result.stoppedAt),
    reason: null,
  }
}

/** The attempts of one check that were followed by others, the first ones first; `from` is when their session began. */
export async function attemptResults(
  db: Kysely<Schema>,
  runs: readonly RunRow[],
  from: number,
  links: { readonly origin: string },
): Promise<CheckSessionResult[]> {
  const rows = await listResultsOfRuns(db, runs, from, 'ATTEMPT')
  const [run] = runs
  if (!run || rows.length === 0) return []
  const [check] = await findChecksByIds(db, [run.checkId])
  const facts = { name: check?.name ?? '', checkType: checkTypeOf({ type: run.checkType }) }
  const inOrder = rows.toSorted((a, b) => a.attempt - b.attempt || (a.location < b.location ? -1 : 1))
  return inOrder.map((row) => toAttemptResult(row, facts, links))
}

/** When the last of the runs ended, in epoch milliseconds; null while one is open. */
export function stoppedAtOf(runs: readonly RunRow[], startedAt: number): number | null {
  if (runs.some(({ state }) => state !== 'done')) return null
  return Math.max(startedAt, ...runs.map(({ finishedAt }) => finishedAt ?? startedAt))
}
