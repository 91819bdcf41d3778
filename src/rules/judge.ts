import type { AssertionResult } from '../contract/assertion.ts'
import type { CheckType } from '../contract/check-types.ts'
import type { OutcomeOf } from '../contract/outcome.ts'
import type { DefinitionOf } from '../contract/run.ts'
import type { Verdict } from '../contract/verdict.ts'
import type { Evaluation } from './assertions/evaluate.ts'
import { rulesOfTypes } from './types/rules-of-types.ts'
import { verdict } from './verdict.ts'

export interface Judgement {
  readonly assertions: AssertionResult[]
  readonly verdict: Verdict
}

/** What an attempt's outcome means for its check, all at once. */
export function judge<T extends CheckType>(definition: DefinitionOf<T>, outcome: OutcomeOf<T>): Judgement {
  const { count, evaluate } = evaluationOf(definition, outcome)
  const assertions = Array.from({ length: count }, (_, index) => evaluate(index))
  return judgementOf(definition, outcome, assertions)
}

/** Whether there is an answer, which assertions are evaluated over. */
export function isAnswered<T extends CheckType>(definition: DefinitionOf<T>, outcome: OutcomeOf<T>): boolean {
  return rulesOfTypes[definition.type].isAnswered(definition, outcome)
}

/** The assertions of a check over the outcome: none where there is no answer, for there is nothing to assert on. */
export function evaluationOf<T extends CheckType>(
  definition: DefinitionOf<T>,
  outcome: OutcomeOf<T>,
): Evaluation {
  return rulesOfTypes[definition.type].evaluation(definition, outcome)
}

export function judgementOf<T extends CheckType>(
  definition: DefinitionOf<T>,
  outcome: OutcomeOf<T>,
  assertions: AssertionResult[],
): Judgement {
  return { assertions, verdict: verdict(outcome, assertions, definition) }
}
