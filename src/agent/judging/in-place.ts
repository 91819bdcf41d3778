import type { Outcome } from '../../contract/outcome.ts'
import type { CheckDefinition } from '../../contract/run.ts'
import { readsBody, unboundedPart } from '../../rules/assertions/cost.ts'

/** Characters of both bodies. */
const maxText = 64 * 1024
/** Characters that all assertions read and compare with, together. */
const maxRead = 256 * 1024

/**
 * Whether an attempt is judged and reported within a few milliseconds whatever was received, so that it need not cross
 * to the thread.
 */
export function isCheap({ request }: CheckDefinition, outcome: Outcome): boolean {
  const { request: sent, response } = outcome.kind === 'observed' ? outcome.observation : outcome.evidence
  const received = response?.body?.length ?? 0
  const text = sent.body.length + received
  if (text > maxText) return false
  if (outcome.kind !== 'observed') return true
  let read = 0
  for (const assertion of request.assertions) {
    if (unboundedPart(assertion)) return false
    read += assertion.target.length + (readsBody(assertion) ? received : 0)
  }
  return read <= maxRead
}
