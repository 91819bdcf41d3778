/** The value that `percent` of all values do not pass (nearest rank); NaN of none. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN
}

export const median = (values: readonly number[]): number => percentile(values, 50)

export interface Point {
  readonly x: number
  readonly y: number
}

/** What y grows by for each x: the median over all pairs of points (Theil and Sen), so that outliers move nothing. */
export function slopeOf(points: readonly Point[]): number {
  const slopes = points.flatMap((from, index) =>
    points
      .slice(index + 1)
      .filter((to) => to.x !== from.x)
      .map((to) => (to.y - from.y) / (to.x - from.x)),
  )
  return median(slopes)
}
