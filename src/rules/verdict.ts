import type { AssertionResult } from '../contract/assertion.ts'
import type { CheckType } from '../contract/check-types.ts'
import type { OutcomeOf } from '../contract/outcome.ts'
import type { DefinitionOf } from '../contract/run.ts'
import type { Verdict } from '../contract/verdict.ts'
import { rulesOfTypes } from './types/rules-of-types.ts'

/**
 * What an attempt says of its target (semantics §3). A threshold is passed by more than its value, not by as much; null
 * is no threshold, 0 is one.
 */
export function verdict<T extends CheckType>(
  outcome: OutcomeOf<T>,
  assertions: readonly AssertionResult[],
  definition: DefinitionOf<T>,
): Verdict {
  const { degradedResponseTimeMs, maxResponseTimeMs } = definition
  const rules = rulesOfTypes[definition.type]
  // Milliseconds of work on the request, our own queueing not among them.
  const tookMs = outcome.timings.totalUs / 1000
  const overMaxResponseTime = maxResponseTimeMs !== null && tookMs > maxResponseTimeMs
  const overDegradedResponseTime = degradedResponseTimeMs !== null && tookMs > degradedResponseTimeMs
  const facts = { overMaxResponseTime, overDegradedResponseTime }

  const faults = [...rules.faults(definition, outcome), ...assertionFaults(assertions)]
  if (overMaxResponseTime && rules.isAnswered(definition, outcome)) {
    faults.push(`the response took ${tookMs} ms, over maxResponseTime ${maxResponseTimeMs} ms`)
  }
  if (faults.length > 0) return { state: 'failing', ...facts, reasons: faults }
  const blemishes = rules.blemishes(definition, outcome)
  if (overDegradedResponseTime) {
    blemishes.push(`the response took ${tookMs} ms, over degradedResponseTime ${degradedResponseTimeMs} ms`)
  }
  return { state: blemishes.length > 0 ? 'degraded' : 'passing', ...facts, reasons: blemishes }
}

function assertionFaults(assertions: readonly AssertionResult[]): string[] {
  return assertions
    .filter(({ holds }) => !holds)
    .map(({ source, message }) => message ?? `the assertion on ${source} does not hold`)
}
