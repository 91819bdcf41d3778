import type { Kysely } from 'kysely'
import { Tally } from '../../../rules/rollup.ts'
import { intervalsOf, piecesOfIntervals, type Range } from '../../../rules/rollup-ranges.ts'
import { readRolledUntil } from '../../../storage/rollup-progress.ts'
import type { Schema } from '../../../storage/schema.ts'
import { type Figure, readFigures } from '../../figures/read-figures.ts'
import { measuresOfMetrics } from './metric-value.ts'
import type { Question } from './read-query.ts'

/** Those of the page, oldest first, or the whole range on the first. */
export function intervalsAsked({ range, intervalMs, page }: Question): Range[] {
  if (intervalMs !== null) return intervalsOf(range, intervalMs, page)
  return page.offset === 0 && range.from < range.to ? [range] : []
}

/** One for each interval, of what the question asks for. */
export const newTallies = ({ metrics }: Question, intervals: readonly Range[]): Tally[] =>
  intervals.map(() => new Tally(measuresOfMetrics(metrics)))

/**
 * Adds up the results of a check that the question asks for, each into the tally of its interval, of those that
 * `talliesOf` gives for it.
 */
export async function tallyIntervals(
  db: Kysely<Schema>,
  check: { readonly id: string; readonly accountId: string },
  { question, intervals }: { readonly question: Question; readonly intervals: readonly Range[] },
  talliesOf: (figure: Figure) => readonly Tally[],
): Promise<void> {
  const measures = measuresOfMetrics(question.metrics)
  const wanted = {
    accountId: check.accountId,
    checkIds: [check.id],
    pieces: piecesOfIntervals(intervals, await readRolledUntil(db)),
    totalsAlone: measures.every((measure) => measure === 'total'),
  }
  await readFigures(db, wanted, (figure) => {
    if (!question.outcomes.includes(figure.outcome)) return
    const tally = talliesOf(figure)[indexOf(intervals, figure)]
    if (tally) figure.addTo(tally)
  })
}

const indexOf = (intervals: readonly Range[], { at }: Figure): number =>
  intervals.findIndex(({ from, to }) => from <= at && at < to)
