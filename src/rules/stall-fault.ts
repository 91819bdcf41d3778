import type { CheckType } from '../contract/check-types.ts'
import type { Outcome, OutcomeOf } from '../contract/outcome.ts'
import type { CheckDefinition, DefinitionOf } from '../contract/run.ts'
import type { Verdict } from '../contract/verdict.ts'
import type { Assertion } from './assertions/assertion.ts'
import { evaluationOf, judgementOf } from './judge.ts'
import { suspects } from './own-fault.ts'

/** An attempt that did not pass. */
export interface DoubtfulAttempt {
  readonly outcome: Outcome
  readonly verdict: Verdict
  readonly definition: CheckDefinition
}

/** A shorter stall bends a measurement, but makes no target fail that is well. */
const stallMs = 1000
/** Of the attempt's time: a target that had the rest of it to answer, and did not, is not well. */
const stallShare = 0.2

/**
 * Whether the attempt may have failed, or been slow, only because this process stood still (semantics §3, errored).
 * @param stalledMs in the whole attempt
 * @param bentMs the part of it that is in the measured time
 */
export function isStall(attempt: DoubtfulAttempt, stalledMs: number, bentMs: number): boolean {
  const { outcome } = attempt
  return outcome.kind === 'observed'
    ? mayHaveBeenBetter(attempt, bentMs)
    : stalledMs >= Math.max(stallMs, (stallShare * outcome.timings.totalUs) / 1000) &&
        suspects[outcome.cause.class].includes('stall')
}

const rank = { passing: 0, degraded: 1, failing: 2 } as const

/**
 * Whether some response time, of those that can be the true one, gives a better verdict. The true one lies between
 * what was measured without the stall and what was measured.
 */
function mayHaveBeenBetter({ outcome, definition, verdict }: DoubtfulAttempt, bentMs: number): boolean {
  const tookUs = outcome.timings.totalUs
  const leastUs = Math.max(0, tookUs - Math.floor(bentMs * 1000))
  const possible = turningPointsUs(definition).filter((us) => us >= leastUs && us < tookUs)
  if (leastUs < tookUs) possible.push(leastUs)
  if (possible.length === 0) return false
  const verdictAt = (totalUs: number) =>
    timedVerdict(definition, { ...outcome, timings: { ...outcome.timings, totalUs } })
  // Each fault is a reason. Where there are more, something else failed as well; the answer is not looked into again.
  if (verdict.reasons.length > verdictAt(tookUs).reasons.length) return false
  return possible.some((us) => rank[verdictAt(us).state] < rank[verdict.state])
}

const isTimed = ({ source }: Pick<Assertion, 'source'>) => source === 'RESPONSE_TIME'

/** The verdict without what is asserted of anything but time. */
function timedVerdict<T extends CheckType>(definition: DefinitionOf<T>, outcome: OutcomeOf<T>): Verdict {
  const evaluation = evaluationOf(definition, outcome)
  const asserted: readonly Assertion[] = definition.request.assertions
  const timed = [...asserted.entries()].filter(([, assertion]) => isTimed(assertion))
  const assertions = timed.map(([index]) => evaluation.evaluate(index))
  return judgementOf(definition, outcome, assertions).verdict
}

/** The times at which a verdict changes, and those next to them. */
function turningPointsUs({ request, degradedResponseTimeMs, maxResponseTimeMs }: CheckDefinition): number[] {
  const asserted: readonly Assertion[] = request.assertions
  const targets = asserted.filter(isTimed).map(({ target }) => Number(target))
  return [degradedResponseTimeMs, maxResponseTimeMs, ...targets]
    .filter((ms) => ms !== null)
    .map((ms) => Math.round(ms * 1000))
    .flatMap((us) => [us - 1, us, us + 1])
}
