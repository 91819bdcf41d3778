import type { Clock } from '../../src/lib/clock.ts'

export interface ManualClock extends Clock {
  ms: number
}

/** Stands still until `ms` is set. */
export function manualClock(): ManualClock {
  const clock = { ms: 0, now: () => clock.ms, monotonicMs: () => clock.ms }
  return clock
}
