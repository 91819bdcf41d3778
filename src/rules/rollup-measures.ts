import type { CheckType } from '../contract/check-types.ts'
import { evidenceOf, type OutcomeOf } from '../contract/outcome.ts'
import type { Result } from '../contract/result.ts'
import type { MeasureName, Measures } from './measures.ts'
import { rulesOfTypes } from './types/rules-of-types.ts'

const ms = (us: number): number => us / 1000

/**
 * Only of what was observed: a refused connection is fast and a time-out is as slow as its deadline, and neither says how
 * long the target takes to answer. Null for all else.
 */
export function measuresOf({ conclusion, queueUs }: Result): Measures | null {
  if (conclusion.kind !== 'judged' || conclusion.outcome.kind !== 'observed') return null
  const { outcome } = conclusion
  const { totalUs, phasesUs } = outcome.timings
  const taken: Partial<Record<MeasureName, number>> = { total: ms(totalUs), wait: ms(queueUs) }
  for (const phase of ['dns', 'connect', 'tls', 'send', 'firstByte', 'download'] as const) {
    const us = phasesUs[phase]
    if (us !== null) taken[phase] = ms(us)
  }
  return { ...taken, ...ownMeasures(outcome) }
}

function ownMeasures<T extends CheckType>(outcome: OutcomeOf<T>): Measures {
  return outcome.kind === 'observed' ? rulesOfTypes[outcome.type].measures(outcome) : {}
}

/** The HTTP status that came back, also where its body did not; null when none did. */
export function statusCodeOf({ conclusion }: Result): number | null {
  return conclusion.kind === 'judged' ? statusOf(conclusion.outcome) : null
}

function statusOf<T extends CheckType>(outcome: OutcomeOf<T>): number | null {
  return rulesOfTypes[outcome.type].statusCode(evidenceOf(outcome))
}

/** Days until the first certificate of the target expires; null where it showed none. */
export function certificateDaysOf<T extends CheckType>(outcome: OutcomeOf<T>): number | null {
  return rulesOfTypes[outcome.type].certificateDays(evidenceOf(outcome))
}
