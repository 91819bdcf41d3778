import type { CheckType } from '../../contract/check-types.ts'
import { evidenceOf, type OutcomeOf } from '../../contract/outcome.ts'
import type { DefinitionOf } from '../../contract/run.ts'
import type { Variable } from '../../contract/variable.ts'
import type { Assertion } from '../../rules/assertions/assertion.ts'
import { readsAnswer, unboundedPart } from '../../rules/assertions/cost.ts'
import { rulesOfTypes } from '../../rules/types/rules-of-types.ts'

/** Characters of bodies, headers and addresses, and of all secrets that are looked for in them. */
const maxText = 64 * 1024
/** Characters that all assertions read and compare with, together. */
const maxRead = 256 * 1024

/**
 * Whether an attempt is judged and reported within a few milliseconds whatever was received, so that it need not cross
 * to the thread.
 */
export function isCheap<T extends CheckType>(definition: DefinitionOf<T>, outcome: OutcomeOf<T>): boolean {
  const rules = rulesOfTypes[definition.type]
  const known = evidenceOf(outcome)
  if (rules.textLength(known) + lengthOfSecrets(definition.variables) > maxText) return false
  if (!rules.isAnswered(definition, outcome)) return true
  const answered = rules.answerLength(known)
  const assertions: readonly Assertion[] = definition.request.assertions
  let read = 0
  for (const assertion of assertions) {
    if (unboundedPart(assertion)) return false
    read += assertion.target.length + (readsAnswer(assertion) ? answered : 0)
  }
  return read <= maxRead
}

function lengthOfSecrets(variables: readonly Variable[]): number {
  let length = 0
  for (const { secret, value } of variables) if (secret) length += value.length
  return length
}
