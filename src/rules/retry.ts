import type { CheckType } from '../contract/check-types.ts'
import type { Outcome, OutcomeOf } from '../contract/outcome.ts'
import type { RetryStrategy } from '../contract/retry-strategy.ts'
import { rulesOfTypes } from './types/rules-of-types.ts'

export interface FinishedAttempt {
  readonly strategy: RetryStrategy | null
  /** Without a strategy: one retry at once (semantics §4). */
  readonly doubleCheck: boolean
  /** Its number; the first is 1. */
  readonly attempt: number
  /** Whether its verdict is failing: nothing else is retried. */
  readonly failing: boolean
  readonly outcome: Outcome
  /** Epoch ms of when the first attempt began and this one ended. */
  readonly firstStartedAt: number
  readonly stoppedAt: number
}

/** Milliseconds to wait before the next attempt; null when this was the last (semantics §4). */
export function retryDelayMs(finished: FinishedAttempt): number | null {
  const { strategy, doubleCheck, attempt, failing, outcome } = finished
  if (!failing) return null
  if (!strategy) return doubleCheck && attempt === 1 ? 0 : null
  if (attempt > retriesOf(strategy)) return null
  if (onlyOnNetworkError(strategy) && receivedStatus(outcome)) return null
  const delayMs = backoffSeconds(strategy, attempt) * 1000
  const endsAt = finished.firstStartedAt + strategy.maxDurationSeconds * 1000
  return finished.stoppedAt + delayMs > endsAt ? null : delayMs
}

const retriesOf = ({ type, maxRetries }: RetryStrategy) => (type === 'SINGLE_RETRY' ? 1 : maxRetries)

/** An empty list limits nothing. */
function onlyOnNetworkError({ onlyOn }: RetryStrategy): boolean {
  return onlyOn !== undefined && onlyOn.length > 0
}

/** What has no HTTP status is answered or not. */
function receivedStatus<T extends CheckType>(outcome: OutcomeOf<T>): boolean {
  return outcome.kind === 'observed' || rulesOfTypes[outcome.type].statusCode(outcome.evidence) !== null
}

function backoffSeconds({ type, baseBackoffSeconds }: RetryStrategy, retry: number): number {
  switch (type) {
    case 'FIXED':
    case 'SINGLE_RETRY':
      return baseBackoffSeconds
    case 'LINEAR':
      return baseBackoffSeconds * retry
    case 'EXPONENTIAL':
      return baseBackoffSeconds ** retry
  }
}
