/** Of the runs that lately ended at a location. */
export interface EndedRuns {
  readonly ended: number
  /** For a fault of our own. */
  readonly errored: number
}

/** Fewer say nothing of the location: one check may be at fault. */
const fewest = 5

/**
 * Whether a location is ill: most of its runs end for a fault of our own, which is one event of the location and not as many
 * failing checks. One that is ill is well again when less than a quarter of them do, so that it does not flap.
 */
export function isIll({ ended, errored }: EndedRuns, wasIll: boolean): boolean {
  if (ended < fewest) return wasIll
  return wasIll ? errored * 4 >= ended : errored * 2 > ended
}
