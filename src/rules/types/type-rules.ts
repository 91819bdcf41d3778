import type { CheckType, EvidenceOf, ObservationOf } from '../../contract/check-types.ts'
import type { TriedAddress } from '../../contract/connection.ts'
import type { ObservedOf, OutcomeOf } from '../../contract/outcome.ts'
import type { DefinitionOf } from '../../contract/run.ts'
import type { Evaluation } from '../assertions/evaluate.ts'
import type { Measures } from '../measures.ts'

/** What is known of a target, observed or not. */
type KnownOf<T extends CheckType> = EvidenceOf<T> | ObservationOf<T>

/** What the rules must know of a check type. */
export interface TypeRules<T extends CheckType> {
  /** Whether there is an answer: assertions are evaluated over it, and its time counts. */
  readonly isAnswered: (definition: DefinitionOf<T>, outcome: OutcomeOf<T>) => boolean
  /** Its assertions over an answer. */
  readonly evaluation: (definition: DefinitionOf<T>, outcome: OutcomeOf<T>) => Evaluation
  /** Why the target is not well, each in one sentence; assertions and response time aside (semantics §3). */
  readonly faults: (definition: DefinitionOf<T>, outcome: OutcomeOf<T>) => string[]
  /** Why it is degraded though it is well, response time aside (semantics §3). */
  readonly blemishes: (definition: DefinitionOf<T>, outcome: OutcomeOf<T>) => string[]
  /** What an observation measures besides its time and its phases. */
  readonly measures: (outcome: ObservedOf<T>) => Measures
  /** The HTTP status that came; null where none did, or none could. */
  readonly statusCode: (known: KnownOf<T>) => number | null
  /** Days until the first certificate of the target expires; null where it showed none. */
  readonly certificateDays: (known: KnownOf<T>) => number | null
  /** The addresses of the last connection that was tried, and what became of each. */
  readonly addresses: (known: KnownOf<T>) => readonly TriedAddress[]
  /** What is told to nobody of an attempt (semantics §10). */
  readonly secrets: (definition: DefinitionOf<T>, known: KnownOf<T>) => string[]
  /** Characters that secrets are looked for in. */
  readonly textLength: (known: KnownOf<T>) => number
  /** Characters that an assertion on the whole answer reads. */
  readonly answerLength: (known: KnownOf<T>) => number
}
