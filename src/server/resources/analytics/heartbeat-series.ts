import type { Kysely } from 'kysely'
import type { Series } from '../../../contract/resources/analytics.ts'
import { dateTimeText } from '../../../contract/wire-time.ts'
import { intervalsOf } from '../../../rules/rollup-ranges.ts'
import type { Schema } from '../../../storage/schema.ts'
import {
  type HeartbeatFigure,
  heartbeatAvailability,
  heartbeatFigure,
} from '../../figures/heartbeat-figures.ts'
import type { Question } from './read-query.ts'

/** As figures of results, of the pings of a heartbeat: a point for each interval of the page, or one for the whole range. */
export async function heartbeatSeries(
  db: Kysely<Schema>,
  checkId: string,
  question: Question,
): Promise<Series[]> {
  const { range, intervalMs, page } = question
  const wholes = page.offset === 0 && range.from < range.to ? [range] : []
  const intervals = intervalMs === null ? wholes : intervalsOf(range, intervalMs, page)
  const points: { readonly from: number; readonly figure: HeartbeatFigure }[] = []
  for (const interval of intervals) {
    const figure = asked(question, await heartbeatFigure(db, checkId, interval))
    points.push({ from: interval.from, figure })
  }
  if (points.every(({ figure }) => figure.inTime + figure.failed === 0)) return []
  const data = points.map(({ from, figure }) => ({
    ...(intervalMs !== null && { startedAt: dateTimeText(from) }),
    ...valuesOf(question, figure),
  }))
  return [{ data }]
}

const asked = ({ outcomes }: Question, { inTime, failed }: HeartbeatFigure): HeartbeatFigure => ({
  inTime: outcomes.includes('passed') ? inTime : 0,
  failed: outcomes.includes('failed') ? failed : 0,
})

/** Nothing retries a ping. */
function valuesOf({ metrics }: Question, figure: HeartbeatFigure): Record<string, number | null> {
  const availability = heartbeatAvailability(figure)
  const retries = availability === null ? null : 0
  return Object.fromEntries(
    metrics.map(({ name, kind }) => [name, kind === 'availability' ? availability : retries]),
  )
}
