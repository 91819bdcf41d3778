import { Type } from 'typebox'
import {
  type CheckType,
  checkTypes,
  type EvidenceOf,
  type ObservationOf,
  runnableTypes,
} from './check-types.ts'
import { NetworkFailure } from './failure.ts'
import { Phase, Timings } from './timings.ts'

interface Observed<O> {
  readonly kind: 'observed'
  readonly timings: Timings
  readonly observation: O
}

interface Unreachable<E> {
  readonly kind: 'unreachable'
  readonly timings: Timings
  readonly cause: NetworkFailure
  readonly evidence: E
}

interface TimedOut<E> {
  readonly kind: 'timed-out'
  readonly timings: Timings
  readonly during: Phase
  readonly cause: NetworkFailure
  readonly evidence: E
}

/** What a runner saw, whatever the type of the check is: an observation, or how far it came. */
export type Seen<O, E> = Observed<O> | Unreachable<E> | TimedOut<E>

interface OfType<T extends CheckType> {
  readonly type: T
}

export type ObservedOf<T extends CheckType> = OfType<T> & Observed<ObservationOf<T>>

/** The outcome of an attempt at a check of one type, or of one of several. */
export type OutcomeOf<T extends CheckType = CheckType> = {
  [K in T]: OfType<K> & Seen<ObservationOf<K>, EvidenceOf<K>>
}[T]

const outcomeSchemas = (name: CheckType) => {
  const type = Type.Literal(name)
  const { observation, evidence } = checkTypes[name]
  const failed = { timings: Timings, cause: NetworkFailure, evidence }
  return [
    Type.Object({ type, kind: Type.Literal('observed'), timings: Timings, observation }),
    Type.Object({ type, kind: Type.Literal('unreachable'), ...failed }),
    Type.Object({ type, kind: Type.Literal('timed-out'), during: Phase, ...failed }),
  ]
}

/**
 * What a runner saw, or why it saw nothing. A dead target is a value here; only our own faults throw. The compiler cannot
 * follow what is made of each type in turn.
 */
export const Outcome = Type.Unsafe<OutcomeOf>(Type.Union(runnableTypes.flatMap(outcomeSchemas)))
export type Outcome = OutcomeOf

/** What is known of the target, observed or not. */
export function evidenceOf<T extends CheckType>(outcome: OutcomeOf<T>): EvidenceOf<T> | ObservationOf<T> {
  return outcome.kind === 'observed' ? outcome.observation : outcome.evidence
}
