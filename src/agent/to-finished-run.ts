import type { Result } from '../contract/result.ts'
import type { FinishedRun } from '../health/metrics.ts'

/** An attempt as the metrics count it. */
export function toFinishedRun(result: Result, type: string): FinishedRun {
  const { conclusion, startedAt, stoppedAt, queueUs } = result
  return {
    type,
    verdict: conclusion.kind === 'judged' ? conclusion.verdict.state : conclusion.kind,
    durationSeconds: (stoppedAt - startedAt) / 1000,
    latenessSeconds: queueUs / 1_000_000,
  }
}
