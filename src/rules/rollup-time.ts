export const hourMs = 60 * 60_000
export const dayMs = 24 * hourMs

/** A result that is stored later than this after its hour is late: it is marked, for its hour may be rolled up. */
const lateAfterMs = 3 * 60_000
/** An hour is rolled up this long after its end. What lies between the two covers clocks that differ and slow commits. */
const rollAfterMs = 10 * 60_000

/** Start of the hour, as of the day that follows, of UTC; epoch milliseconds as all here. */
export const hourOf = (at: number): number => at - (((at % hourMs) + hourMs) % hourMs)
export const dayOf = (at: number): number => at - (((at % dayMs) + dayMs) % dayMs)

export function isLate(startedAt: number, storedAt: number): boolean {
  return storedAt >= hourOf(startedAt) + hourMs + lateAfterMs
}

/** May the hour that begins at `hourAt` be rolled up? Whatever comes for it afterwards is late. */
export const isRipe = (hourAt: number, now: number): boolean => now >= hourAt + hourMs + rollAfterMs

/** A part of a range, and what its figures are read from. `to` is not in it. */
export interface Piece {
  readonly from: number
  readonly to: number
  readonly source: 'result' | 'hour' | 'day'
}

interface Reading {
  readonly from: number
  /** Not in the range. */
  readonly to: number
  /** All hours before this one are rolled up; null when none is. */
  readonly rolledUntil: number | null
}

/**
 * Cuts a range into pieces that cover it once, in order: whole days and whole hours that are rolled up, and for the rest,
 * at its ends and after `rolledUntil`, single results.
 */
export function piecesOf({ from, to, rolledUntil }: Reading): Piece[] {
  const rolled = rolledUntil === null ? from : Math.max(from, Math.min(to, rolledUntil))
  const hours = within(from, rolled, hourMs)
  const days = within(hours.from, hours.to, dayMs)
  const pieces: Piece[] = [
    { from, to: hours.from, source: 'result' },
    { from: hours.from, to: days.from, source: 'hour' },
    { ...days, source: 'day' },
    { from: days.to, to: hours.to, source: 'hour' },
    { from: hours.to, to, source: 'result' },
  ]
  return pieces.filter((piece) => piece.from < piece.to)
}

/** The whole spans of a range; none of them at its very end. */
function within(from: number, to: number, spanMs: number): { from: number; to: number } {
  const first = Math.ceil(from / spanMs) * spanMs
  const last = Math.floor(to / spanMs) * spanMs
  return first < last ? { from: first, to: last } : { from: to, to }
}
