import type { AssertionResult } from '../contract/assertion.ts'
import type { Outcome } from '../contract/outcome.ts'
import type { CheckDefinition } from '../contract/run.ts'
import type { Verdict } from '../contract/verdict.ts'
import { apiEvaluation, type Evaluation, nothingToEvaluate } from './assertions/evaluate.ts'
import { responseTimeMsOf, verdict } from './verdict.ts'

export interface Judgement {
  readonly assertions: AssertionResult[]
  readonly verdict: Verdict
}

/** What an attempt's outcome means for its check, all at once. */
export function judge(definition: CheckDefinition, outcome: Outcome): Judgement {
  const { count, evaluate } = evaluationOf(definition, outcome)
  const assertions = Array.from({ length: count }, (_, index) => evaluate(index))
  return judgementOf(definition, outcome, assertions)
}

/** The assertions of a check over the outcome: none where nothing was observed, for there is nothing to assert on. */
export function evaluationOf(definition: CheckDefinition, outcome: Outcome): Evaluation {
  if (outcome.kind !== 'observed') return nothingToEvaluate
  switch (definition.type) {
    case 'API':
      return apiEvaluation(definition.request.assertions, outcome.observation, responseTimeMsOf(outcome))
  }
}

export function judgementOf(
  definition: CheckDefinition,
  outcome: Outcome,
  assertions: AssertionResult[],
): Judgement {
  return { assertions, verdict: verdict(outcome, assertions, definition) }
}
