import type { CheckResultResource, Diagnosis } from '../../../contract/resources/check-result.ts'
import type { Conclusion, Result } from '../../../contract/result.ts'
import { dateTimeText } from '../../../contract/wire-time.ts'
import type { Schema } from '../../../storage/schema.ts'
import { errorGroupOf } from '../../stored/error-group-of.ts'
import { nothingSeen, shownOutcome } from './shown-outcome.ts'

const unjudged = { verdict: null, cause: null, timings: null, assertions: [], ...nothingSeen }

/** What is shown of how an attempt ended. */
function shown(
  conclusion: Conclusion,
  queueUs: number,
): Pick<CheckResultResource, 'apiCheckResult' | 'diagnosis'> {
  if (conclusion.kind !== 'judged') {
    const reason =
      conclusion.kind === 'errored' ? `${conclusion.reason}: ${conclusion.message}` : conclusion.reason
    return { apiCheckResult: null, diagnosis: { ...unjudged, kind: conclusion.kind, reason, queueUs } }
  }
  const { outcome, verdict, assertions } = conclusion
  const { kind, timings } = outcome
  const cause = outcome.kind === 'observed' ? null : outcome.cause
  const { apiCheckResult, details } = shownOutcome(outcome, assertions, queueUs)
  const diagnosis: Diagnosis = {
    kind,
    verdict,
    reason: null,
    cause,
    timings,
    queueUs,
    assertions,
    ...details,
  }
  return { apiCheckResult, diagnosis }
}

/** The contract wants a number of what is a UUID to us: its first 48 bits, stable for a run. */
const runNumber = (runId: string) => Number.parseInt(runId.replaceAll('-', '').slice(0, 12), 16)

export function toResource(row: Schema['checkResults'], checkName: string): CheckResultResource {
  // Validated when it was taken in.
  const { conclusion, queueUs } = JSON.parse(row.details) as Result
  const group = row.resultType === 'FINAL' ? errorGroupOf(row.checkId, conclusion) : null
  return {
    id: row.id,
    name: checkName,
    checkId: row.checkId,
    hasFailures: row.hasFailures === 1,
    hasErrors: row.hasErrors === 1,
    isDegraded: row.isDegraded === 1,
    overMaxResponseTime: row.overMaxResponseTime === 1,
    runLocation: row.location,
    startedAt: dateTimeText(row.startedAt),
    stoppedAt: dateTimeText(row.stoppedAt),
    created_at: dateTimeText(row.createdAt),
    responseTime: row.responseTimeMs ?? 0,
    checkRunId: runNumber(row.runId),
    attempts: row.attempt,
    resultType: row.resultType,
    sequenceId: row.runId,
    errorGroupIds: group ? [group.id] : null,
    ...shown(conclusion, queueUs),
  }
}
