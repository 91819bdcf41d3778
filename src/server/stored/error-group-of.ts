import type { Conclusion } from '../../contract/result.ts'
import { hashId } from '../../lib/ids.ts'
import { cleanedMessage, failureMessage, rawMessage } from '../../rules/error-group.ts'

/** The group of a failing result: its identity, and what its message is. */
export interface FailureGroup {
  readonly id: string
  readonly errorHash: string
  readonly rawErrorMessage: string
  readonly cleanedErrorMessage: string
}

/**
 * The group that a final result belongs to: the same check (or, of tests, the same account: `ownerId`) and the same
 * cleaned message are the same group. Null for a result that is no failure of its target.
 */
export function errorGroupOf(ownerId: string, conclusion: Conclusion): FailureGroup | null {
  const message = failureMessage(conclusion)
  if (message === null) return null
  const cleanedErrorMessage = cleanedMessage(message)
  const errorHash = hashId('error', cleanedErrorMessage)
  return {
    id: hashId('error-group', ownerId, errorHash),
    errorHash,
    rawErrorMessage: rawMessage(message),
    cleanedErrorMessage,
  }
}
