import type { Kysely } from 'kysely'
import type { Series } from '../../../contract/resources/analytics.ts'
import { dateTimeText } from '../../../contract/wire-time.ts'
import { Tally } from '../../../rules/rollup.ts'
import { pageOfMeasures } from '../../../storage/measured-results.ts'
import type { Schema } from '../../../storage/schema.ts'
import { heartbeatSeries } from './heartbeat-series.ts'
import { intervalsAsked, newTallies, tallyIntervals } from './interval-tallies.ts'
import { measuresOfMetrics, metricValue } from './metric-value.ts'
import type { Question } from './read-query.ts'

interface Check {
  readonly id: string
  readonly type: string
  readonly accountId: string
}

type Group = string | number | null

/** Answers one page; nothing where the page has no result. */
export function seriesOf(db: Kysely<Schema>, check: Check, question: Question): Promise<Series[]> {
  if (check.type === 'HEARTBEAT') return heartbeatSeries(db, check, question)
  const single = question.metrics.some(({ kind }) => kind === 'single')
  return single ? singleResults(db, check, question) : figures(db, check, question)
}

/** A point for each result, oldest first. */
async function singleResults(db: Kysely<Schema>, check: Check, question: Question): Promise<Series[]> {
  const { range, outcomes, page, metrics } = question
  const wanted = { accountId: check.accountId, checkIds: [check.id], ...range, outcomes }
  const results = await pageOfMeasures(db, wanted, page)
  const groups = Map.groupBy(results, (result) => groupOf(question, result))
  const measures = measuresOfMetrics(metrics)
  return toSeries(question, groups, (members) =>
    members.map((result) => {
      const tally = new Tally(measures)
      tally.addResult(result)
      return { startedAt: dateTimeText(result.startedAt), ...valuesOf(question, tally) }
    }),
  )
}

/** A point for each interval of the page, oldest first, or one for the whole range. */
async function figures(db: Kysely<Schema>, check: Check, question: Question): Promise<Series[]> {
  const { intervalMs } = question
  const intervals = intervalsAsked(question)
  const groups = new Map<Group, Tally[]>()
  await tallyIntervals(db, check, { question, intervals }, (figure) => {
    const group = groupOf(question, figure)
    const tallies = groups.get(group) ?? newTallies(question, intervals)
    groups.set(group, tallies)
    return tallies
  })
  return toSeries(question, groups, (tallies) =>
    tallies.map((tally, index) => {
      const at =
        intervalMs === null ? {} : { startedAt: dateTimeText(intervals[index]?.from ?? question.range.from) }
      return { ...at, ...valuesOf(question, tally) }
    }),
  )
}

function groupOf(
  { groupBy }: Question,
  of: { readonly location: string; readonly statusCode: number },
): Group {
  if (groupBy === 'runLocation') return of.location
  return groupBy === 'statusCode' && of.statusCode !== 0 ? of.statusCode : null
}

const valuesOf = ({ metrics }: Question, tally: Tally): Record<string, number | null> =>
  Object.fromEntries(metrics.map((metric) => [metric.name, metricValue(metric, tally)]))

/** By location, or by status with those without one last. */
function toSeries<T>(
  { groupBy }: Question,
  groups: ReadonlyMap<Group, T[]>,
  pointsOf: (members: T[]) => Series['data'],
): Series[] {
  const rank = (group: Group) => (group === null ? '~' : String(group))
  const ordered = [...groups].toSorted(([a], [b]) => (rank(a) < rank(b) ? -1 : 1))
  return ordered.map(([group, members]) => ({
    ...(groupBy !== null && { [groupBy]: group }),
    data: pointsOf(members),
  }))
}
