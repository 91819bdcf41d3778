import type { CheckTypeName } from '../../../contract/check-types.ts'
import type { AnalyticsQuery } from '../../../contract/resources/analytics.ts'
import { type RolledOutcome, rolledOutcomes } from '../../../rules/rollup.ts'
import { quickRange, type Range } from '../../../rules/rollup-ranges.ts'
import { dayMs } from '../../../rules/rollup-time.ts'
import { inputInvalid } from '../../http/api-error.ts'
import { pageOf } from '../../http/paging.ts'
import { windowOf } from '../../http/time-window.ts'
import { type Metric, metricsOf } from './metric-table.ts'

/** What is asked of one check. */
export interface Question {
  readonly range: Range
  /** Null: one figure for the whole range. */
  readonly intervalMs: number | null
  readonly outcomes: readonly RolledOutcome[]
  readonly groupBy: 'runLocation' | 'statusCode' | 'pageIndex' | null
  readonly metrics: readonly Metric[]
  readonly page: { readonly offset: number; readonly limit: number }
}

const success: readonly RolledOutcome[] = ['passed', 'degraded']
const failure: readonly RolledOutcome[] = ['failed']
const statuses: Readonly<Record<string, readonly RolledOutcome[]>> = { success, failure }
const heartbeatStatuses: typeof statuses = {
  FAILING: failure,
  EARLY: success,
  RECEIVED: success,
  GRACE: success,
  LATE: success,
}

const groupsOf: Readonly<Partial<Record<CheckTypeName, readonly string[]>>> = {
  API: ['runLocation', 'statusCode'],
  URL: ['runLocation', 'statusCode'],
  BROWSER: ['runLocation', 'pageIndex'],
  HEARTBEAT: [],
}

/** @throws ApiError 400 naming the parameter and what is allowed */
export function readQuestion(type: CheckTypeName, query: AnalyticsQuery, now: number): Question {
  const { aggregationInterval } = query
  return {
    range: rangeOf(query, now),
    intervalMs: aggregationInterval === undefined ? null : aggregationInterval * 60_000,
    outcomes: outcomesOf(type, namesOf(query.filterByStatus, query['filterByStatus[]'])),
    groupBy: groupOf(type, query.groupBy),
    metrics: metricsAsked(type, namesOf(query.metrics, query['metrics[]'])),
    page: pageOf(query),
  }
}

function rangeOf(query: AnalyticsQuery, now: number): Range {
  if (query.from === undefined && query.to === undefined) return quickRange(query.quickRange, now)
  return windowOf(query, now, dayMs)
}

const namesOf = (...lists: readonly (readonly string[] | undefined)[]): string[] => {
  const names = lists.flatMap((list = []) => list.flatMap((text) => text.split(',')))
  return [...new Set(names.map((name) => name.trim()).filter((name) => name !== ''))]
}

function outcomesOf(type: CheckTypeName, names: readonly string[]): readonly RolledOutcome[] {
  const allowed = type === 'HEARTBEAT' ? heartbeatStatuses : statuses
  assertAllowed('filterByStatus', names, Object.keys(allowed))
  if (names.length === 0) return rolledOutcomes
  const asked = new Set(names.flatMap((name) => allowed[name] ?? []))
  return rolledOutcomes.filter((outcome) => asked.has(outcome))
}

function groupOf(type: CheckTypeName, groupBy: AnalyticsQuery['groupBy']): Question['groupBy'] {
  if (groupBy === undefined) return null
  assertAllowed('groupBy', [groupBy], groupsOf[type] ?? ['runLocation'])
  return groupBy
}

/** Values of single results and figures of many are different answers: one query is for one of them. */
function metricsAsked(type: CheckTypeName, names: readonly string[]): Metric[] {
  const known = metricsOf(type)
  const asked = names.length === 0 && type === 'HEARTBEAT' ? ['availability'] : names
  assertAllowed(
    'metrics',
    asked,
    known.map(({ name }) => name),
    { atLeastOne: true },
  )
  const metrics = asked.flatMap((name) => known.filter((metric) => metric.name === name))
  const kinds = new Set(metrics.map(({ kind }) => kind))
  if (!kinds.has('single') || !kinds.has('aggregated')) return metrics
  const text =
    '"metrics" must be either values of single results (such as responseTime) or aggregated ones (such as responseTime_avg), not both'
  throw inputInvalid([{ path: 'metrics', text }], 'query')
}

function assertAllowed(
  parameter: string,
  names: readonly string[],
  allowed: readonly string[],
  { atLeastOne = false } = {},
): void {
  const ok = names.every((name) => allowed.includes(name)) && (names.length > 0 || !atLeastOne)
  if (ok) return
  const text =
    allowed.length === 0
      ? `"${parameter}" is not for checks of this type`
      : `"${parameter}" must be one of [${allowed.join(', ')}]`
  throw inputInvalid([{ path: parameter, text }], 'query')
}
