import { dayMs, hourMs, hourOf } from '../../src/rules/rollup-time.ts'
import type { Size } from './settings.ts'

const days = 30
/** One check of a hundred runs so much more often than the others that half of all results are theirs. */
const busyShare = 100

/** Which results are stored: `rounds` of each check, `busyRate` times as many of the busy ones, evenly over 30 days. */
export interface StoredPlan {
  readonly checks: number
  readonly busy: number
  readonly busyRate: number
  readonly rounds: number
  /** Epoch milliseconds: full hours, `until` is not in it. */
  readonly from: number
  readonly until: number
}

export function planOf({ checks, results }: Size, now: number): StoredPlan {
  const busy = Math.max(1, Math.round(checks / busyShare))
  const until = hourOf(now)
  return {
    checks,
    busy,
    busyRate: Math.round((checks + busy) / busy),
    rounds: Math.max(1, Math.ceil(results / (2 * checks))),
    from: until - days * dayMs,
    until,
  }
}

const isBusy = (plan: StoredPlan, check: number): boolean => check < plan.busy

export const resultsOfCheck = (plan: StoredPlan, check: number): number =>
  plan.rounds * (isBusy(plan, check) ? plan.busyRate : 1)

/** When the check's result `n` started: all checks at times of their own. */
export function startOf(plan: StoredPlan, check: number, n: number): number {
  const phase = (check % 997) / 997
  return Math.floor(plan.from + ((n + phase) / resultsOfCheck(plan, check)) * (plan.until - plan.from))
}

/** In the order in which a service stores them: round by round, each check in each. */
export function* inOrder(plan: StoredPlan): Generator<{ readonly check: number; readonly n: number }> {
  for (let round = 0; round < plan.rounds; round += 1) {
    for (let check = 0; check < plan.checks; check += 1) {
      const each = isBusy(plan, check) ? plan.busyRate : 1
      for (let n = round * each; n < (round + 1) * each; n += 1) yield { check, n }
    }
  }
}

/** The check's results by the hour in which they started. */
export function byHour(plan: StoredPlan, check: number): Map<number, number[]> {
  const numbers = Array.from({ length: resultsOfCheck(plan, check) }, (_, n) => n)
  return Map.groupBy(numbers, (n) => startOf(plan, check, n) - (startOf(plan, check, n) % hourMs))
}
