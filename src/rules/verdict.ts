import type { AssertionResult } from '../contract/assertion.ts'
import type { Outcome } from '../contract/outcome.ts'
import type { Verdict } from '../contract/verdict.ts'

export interface Thresholds {
  /** A status of 400 or above is then what is expected. */
  readonly shouldFail: boolean
  /** Milliseconds; null is no threshold, 0 is one. */
  readonly degradedResponseTimeMs: number | null
  readonly maxResponseTimeMs: number | null
}

/** Milliseconds of work on the request, our own queueing not among them (semantics §3). */
export const responseTimeMsOf = (outcome: Outcome) => outcome.timings.totalUs / 1000

/** What an attempt says of its target (semantics §3). A threshold is passed by more than its value, not by as much. */
export function verdict(
  outcome: Outcome,
  assertions: readonly AssertionResult[],
  thresholds: Thresholds,
): Verdict {
  const { degradedResponseTimeMs, maxResponseTimeMs } = thresholds
  const tookMs = responseTimeMsOf(outcome)
  const overMaxResponseTime = maxResponseTimeMs !== null && tookMs > maxResponseTimeMs
  const overDegradedResponseTime = degradedResponseTimeMs !== null && tookMs > degradedResponseTimeMs
  const facts = { overMaxResponseTime, overDegradedResponseTime }

  const faults = [...baseFaults(outcome, thresholds.shouldFail), ...assertionFaults(assertions)]
  if (outcome.kind === 'observed' && overMaxResponseTime) {
    faults.push(`the response took ${tookMs} ms, over maxResponseTime ${maxResponseTimeMs} ms`)
  }
  if (faults.length > 0) return { state: 'failing', ...facts, reasons: faults }
  if (!overDegradedResponseTime) return { state: 'passing', ...facts, reasons: [] }
  const slow = `the response took ${tookMs} ms, over degradedResponseTime ${degradedResponseTimeMs} ms`
  return { state: 'degraded', ...facts, reasons: [slow] }
}

/** A request that was not completed is never a success of an API check, whatever `shouldFail` says. */
function baseFaults(outcome: Outcome, shouldFail: boolean): string[] {
  switch (outcome.kind) {
    case 'observed':
      return statusFaults(outcome.observation.response.status, shouldFail)
    case 'unreachable':
    case 'timed-out':
      return [outcome.cause.message]
  }
}

function statusFaults(status: number, shouldFail: boolean): string[] {
  const isError = status >= 400
  if (isError === shouldFail) return []
  return isError
    ? [`the response status ${status} is 400 or above`]
    : [`the response status ${status} is below 400, and shouldFail expects 400 or above`]
}

function assertionFaults(assertions: readonly AssertionResult[]): string[] {
  return assertions
    .filter(({ holds }) => !holds)
    .map(({ source, message }) => message ?? `the assertion on ${source} does not hold`)
}
