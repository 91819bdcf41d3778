import type { Conclusion, Result } from '../../contract/result.ts'
import { measuresOf, statusCodeOf } from '../../rules/rollup-measures.ts'
import type { Schema } from '../../storage/schema.ts'
import { flagOf } from '../../storage/tables/flag.ts'

type RunRow = Schema['checkRuns']

const outcomes = { passing: 'passed', degraded: 'degraded', failing: 'failed' } as const

/** What the ledger says of a run that ended so. */
export function outcomeOf(conclusion: Conclusion): {
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

/** A reported attempt as it is stored. */
export function toResultRow(run: RunRow, result: Result, now: number): Schema['checkResults'] {
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
    location: result.location,
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
