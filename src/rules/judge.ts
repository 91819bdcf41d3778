import type { AssertionResult } from '../contract/assertion.ts'
import type { Outcome } from '../contract/outcome.ts'
import type { CheckDefinition } from '../contract/run.ts'
import type { Verdict } from '../contract/verdict.ts'
import { evaluateApiAssertions } from './assertions/evaluate.ts'
import { responseTimeMsOf, verdict } from './verdict.ts'

export interface Judgement {
  readonly assertions: AssertionResult[]
  readonly verdict: Verdict
}

/** What an attempt's outcome means for its check. Without an observation there is nothing to assert on. */
export function judge(definition: CheckDefinition, outcome: Outcome): Judgement {
  const assertions = outcome.kind === 'observed' ? evaluate(definition, outcome) : []
  return { assertions, verdict: verdict(outcome, assertions, definition) }
}

function evaluate(
  definition: CheckDefinition,
  outcome: Extract<Outcome, { kind: 'observed' }>,
): AssertionResult[] {
  switch (definition.type) {
    case 'API':
      return evaluateApiAssertions(
        definition.request.assertions,
        outcome.observation,
        responseTimeMsOf(outcome),
      )
  }
}
