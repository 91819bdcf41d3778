import type { ApiEvidence } from '../../contract/checks/api/observation.ts'
import type { Outcome } from '../../contract/outcome.ts'
import type { CheckDefinition } from '../../contract/run.ts'
import type { Variable } from '../../contract/variable.ts'
import { readsBody, unboundedPart } from '../../rules/assertions/cost.ts'

/** Characters of bodies, headers and addresses, and of all secrets that are looked for in them. */
const maxText = 64 * 1024
/** Characters that all assertions read and compare with, together. */
const maxRead = 256 * 1024

/**
 * Whether an attempt is judged and reported within a few milliseconds whatever was received, so that it need not cross
 * to the thread.
 */
export function isCheap({ request, variables }: CheckDefinition, outcome: Outcome): boolean {
  const evidence = outcome.kind === 'observed' ? outcome.observation : outcome.evidence
  const received = evidence.response?.body?.length ?? 0
  if (lengthOf(evidence) + lengthOfSecrets(variables) > maxText) return false
  if (outcome.kind !== 'observed') return true
  let read = 0
  for (const assertion of request.assertions) {
    if (unboundedPart(assertion)) return false
    read += assertion.target.length + (readsBody(assertion) ? received : 0)
  }
  return read <= maxRead
}

function lengthOf({ request, response, hops }: ApiEvidence): number {
  let length = request.body.length + request.url.length + lengthOfHeaders(request.headers)
  if (response) length += (response.body?.length ?? 0) + lengthOfHeaders(response.headers)
  for (const { url } of hops) length += url.length
  return length
}

function lengthOfHeaders(headers: Readonly<Record<string, string | readonly string[]>>): number {
  let length = 0
  for (const name in headers) length += name.length + String(headers[name] ?? '').length
  return length
}

function lengthOfSecrets(variables: readonly Variable[]): number {
  let length = 0
  for (const { secret, value } of variables) if (secret) length += value.length
  return length
}
