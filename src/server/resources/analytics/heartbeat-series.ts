import type { Kysely } from 'kysely'
import type { Series } from '../../../contract/resources/analytics.ts'
import { dateTimeText } from '../../../contract/wire-time.ts'
import { Tally } from '../../../rules/rollup.ts'
import type { Range } from '../../../rules/rollup-ranges.ts'
import type { Schema } from '../../../storage/schema.ts'
import {
  type HeartbeatFigure,
  heartbeatAvailability,
  heartbeatFigures,
} from '../../figures/heartbeat-figures.ts'
import { intervalsAsked, newTallies, tallyIntervals } from './interval-tallies.ts'
import type { Metric } from './metric-table.ts'
import { metricValue } from './metric-value.ts'
import type { Question } from './read-query.ts'

type Check = Pick<Schema['checks'], 'id' | 'accountId'>

/** What there is to say of one interval. */
interface Point {
  readonly from: number
  readonly figure: HeartbeatFigure
  readonly tally: Tally
}

/**
 * A point for each interval of the page, or one for the whole range: availability as its pings tell it, times as the
 * results of its runs do, where it is run.
 */
export async function heartbeatSeries(
  db: Kysely<Schema>,
  check: Check,
  question: Question,
): Promise<Series[]> {
  const intervals = intervalsAsked(question)
  const tallies = await talliesOf(db, check, question, intervals)
  const points: Point[] = []
  for (const [index, { from, to }] of intervals.entries()) {
    const figureOf = await heartbeatFigures(db, [check.id], { from, to })
    const tally = tallies[index] ?? new Tally()
    points.push({ from, figure: asked(question, figureOf(check.id)), tally })
  }
  if (points.every(isEmpty)) return []
  const data = points.map((point) => ({
    ...(question.intervalMs !== null && { startedAt: dateTimeText(point.from) }),
    ...Object.fromEntries(question.metrics.map((metric) => [metric.name, told(metric, point)])),
  }))
  return [{ data }]
}

async function talliesOf(
  db: Kysely<Schema>,
  check: Check,
  question: Question,
  intervals: readonly Range[],
): Promise<Tally[]> {
  const tallies = newTallies(question, intervals)
  if (question.metrics.every(({ kind }) => kind !== 'aggregated')) return tallies
  await tallyIntervals(db, check, { question, intervals }, () => tallies)
  return tallies
}

const asked = ({ outcomes }: Question, { inTime, failed }: HeartbeatFigure): HeartbeatFigure => ({
  inTime: outcomes.includes('passed') ? inTime : 0,
  failed: outcomes.includes('failed') ? failed : 0,
})

const isEmpty = ({ figure, tally }: Point): boolean =>
  figure.inTime + figure.failed === 0 && tally.results === 0

/** Nothing retries a ping. */
function told(metric: Metric, { figure, tally }: Point): number | null {
  const availability = heartbeatAvailability(figure)
  switch (metric.kind) {
    case 'availability':
      return availability
    case 'retries':
      return availability === null ? null : 0
    case 'single':
    case 'aggregated':
      return metricValue(metric, tally)
  }
}
