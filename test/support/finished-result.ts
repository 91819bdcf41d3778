import type { Result } from '../../src/contract/result.ts'
import { resultIdOf } from '../../src/contract/run-ids.ts'
import { observed } from './api-outcomes.ts'
import { dueRun } from './due-run.ts'

/** A passing result of a run of its own. */
export function finishedResult(result: Partial<Result> = {}): Result {
  const { id: runId, checkId, version, location, dueAt, attempt } = dueRun()
  const verdict = {
    state: 'passing',
    overMaxResponseTime: false,
    overDegradedResponseTime: false,
    reasons: [],
  } as const
  return {
    id: resultIdOf(runId, attempt),
    runId,
    checkId,
    version,
    location,
    dueAt,
    attempt,
    resultType: 'FINAL',
    retryAt: null,
    retryElsewhere: false,
    startedAt: dueAt,
    stoppedAt: dueAt + 10,
    queueUs: 0,
    conclusion: {
      kind: 'judged',
      outcome: observed({}),
      assertions: [],
      verdict: { ...verdict, reasons: [] },
    },
    ...result,
  }
}
