import type { QuickRange } from '../contract/resources/analytics.ts'
import { dayMs, dayOf, type Piece, piecesOf } from './rollup-time.ts'

/** Epoch milliseconds; `to` is not in it. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** Monday, 4 January 1970, began a week. */
const firstMonday = 4 * dayMs
const weekMs = 7 * dayMs

function monthStart(now: number, monthsAgo: number): number {
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - monthsAgo)
}

/** Weeks begin on Mondays, and all of it is UTC. */
export function quickRange(name: QuickRange, now: number): Range {
  const week = firstMonday + Math.floor((now - firstMonday) / weekMs) * weekMs
  switch (name) {
    case 'last24Hours':
      return { from: now - dayMs, to: now }
    case 'last7Days':
      return { from: now - 7 * dayMs, to: now }
    case 'last30Days':
      return { from: now - 30 * dayMs, to: now }
    case 'thisWeek':
      return { from: week, to: now }
    case 'thisMonth':
      return { from: monthStart(now, 0), to: now }
    case 'lastWeek':
      return { from: week - weekMs, to: week }
    case 'lastMonth':
      return { from: monthStart(now, 1), to: monthStart(now, 0) }
  }
}

/**
 * The page of a range in intervals of `intervalMs`, which begin at midnight UTC of its first day and go on from there;
 * the first and the last are cut to the range. `offset` and `limit` count intervals.
 */
export function intervalsOf(
  { from, to }: Range,
  intervalMs: number,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Range[] {
  const midnight = dayOf(from)
  const first = midnight + Math.floor((from - midnight) / intervalMs) * intervalMs
  const starts = Array.from({ length: limit }, (_, index) => first + (offset + index) * intervalMs)
  return starts
    .filter((start) => start < to)
    .map((start) => ({ from: Math.max(from, start), to: Math.min(to, start + intervalMs) }))
}

/**
 * What the figures of these intervals, in order, are read from; pieces that follow upon each other are one. None reaches
 * over the end of an interval unless those are alike: each hour and each day that is read whole lies in one interval.
 */
export function piecesOfIntervals(intervals: readonly Range[], rolledUntil: number | null): Piece[] {
  const pieces: Piece[] = []
  for (const piece of intervals.flatMap((interval) => piecesOf({ ...interval, rolledUntil }))) {
    const last = pieces.at(-1)
    if (last?.source === piece.source && last.to === piece.from)
      pieces[pieces.length - 1] = { ...last, to: piece.to }
    else pieces.push(piece)
  }
  return pieces
}
