import { type DoubtfulAttempt, isStall } from '../../rules/stall-fault.ts'
import { stalled } from './own-fault-texts.ts'
import type { Finding } from './own-trouble.ts'

export interface StallFinderOptions {
  readonly monotonicMs: () => number
  /** How many milliseconds this process stood still between two monotonic instants; up to now unless told. */
  readonly stalledMsSince: (fromMs: number, toMs?: number) => number
}

export interface Attempt extends DoubtfulAttempt {
  /** When it began, in monotonic milliseconds. */
  readonly begunMs: number
}

/** A stall leaves nothing that could be asked whether it is over. */
const quietMs = 60_000

/** Tells whether an attempt did not pass because this process stood still. */
export function createStallFinder({ monotonicMs, stalledMsSince }: StallFinderOptions) {
  let metMs = Number.NEGATIVE_INFINITY
  const isOver = async () => monotonicMs() - metMs >= quietMs
  return (attempt: Attempt): Finding | null => {
    const { begunMs, outcome } = attempt
    const stalledMs = stalledMsSince(begunMs)
    // What we did with the answer afterwards is not in the time that was measured.
    const bentMs = stalledMsSince(begunMs, begunMs + outcome.timings.totalUs / 1000)
    if (!isStall(attempt, stalledMs, bentMs)) return null
    metMs = monotonicMs()
    return { about: 'event-loop-stall', fault: stalled(stalledMs), isOver }
  }
}
