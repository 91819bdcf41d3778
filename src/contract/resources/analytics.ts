import { type Static, Type } from 'typebox'
import { CheckTypeName } from '../check-types.ts'
import { pageQuery } from '../paging.ts'
import { Nullable, OneOf, Text } from '../schema.ts'
import { DateTimeText, InstantQuery } from '../wire-time.ts'

export const aggregations = [
  'avg',
  'max',
  'median',
  'min',
  'p50',
  'p90',
  'p95',
  'p99',
  'stddev',
  'sum',
] as const
export type Aggregation = (typeof aggregations)[number]

const units = ['milliseconds', 'score', 'count', 'percentage'] as const
export type Unit = (typeof units)[number]

/** Ranges of time that end now or with a week or month, UTC; weeks begin on Mondays. */
const quickRanges = [
  'last24Hours',
  'last7Days',
  'last30Days',
  'thisWeek',
  'thisMonth',
  'lastWeek',
  'lastMonth',
] as const
export type QuickRange = (typeof quickRanges)[number]

const listText = (description: string) =>
  Type.Optional(Type.Array(Text({ maxLength: 8192 }), { maxItems: 200, description }))

export const AnalyticsQuery = Type.Object({
  from: Type.Optional(InstantQuery),
  to: Type.Optional(InstantQuery),
  quickRange: OneOf(quickRanges, { default: 'last24Hours', description: 'unless `from` or `to` is given' }),
  aggregationInterval: Type.Optional(
    Type.Number({
      minimum: 1,
      maximum: 43_200,
      description: 'minutes; one figure for the whole range without',
    }),
  ),
  filterByStatus: listText('statuses whose results count; comma-separated or repeated'),
  'filterByStatus[]': listText('as filterByStatus'),
  groupBy: Type.Optional(OneOf(['runLocation', 'statusCode', 'pageIndex'])),
  metrics: listText('names of /v1/analytics/metrics; comma-separated or repeated'),
  'metrics[]': listText('as metrics'),
  ...pageQuery,
})
export type AnalyticsQuery = Static<typeof AnalyticsQuery>

const Point = Type.Record(Type.String(), Type.Union([Type.Number(), Type.String(), Type.Null()]))

/**
 * The contract calls the items of `series` strings; existing clients read these objects. `startedAt` is in each point
 * of an aggregation interval and of a single result.
 */
const Series = Type.Object({
  runLocation: Type.Optional(Type.String()),
  statusCode: Type.Optional(Nullable(Type.Integer(), { description: 'null where no status came back' })),
  pageIndex: Type.Optional(Nullable(Type.Integer())),
  data: Type.Array(Point),
})
export type Series = Static<typeof Series>

const MetricFacts = Type.Object({
  unit: OneOf(units),
  label: Type.String(),
  aggregation: Type.Optional(OneOf(aggregations)),
})
export type MetricFacts = Static<typeof MetricFacts>

export const Analytics = Type.Object({
  checkId: Type.String(),
  name: Type.String(),
  checkType: CheckTypeName,
  activated: Type.Boolean(),
  muted: Type.Boolean(),
  frequency: Type.Number(),
  from: DateTimeText,
  to: DateTimeText,
  tags: Type.Array(Type.String()),
  series: Type.Array(Series),
  pagination: Type.Object({ page: Type.Integer(), limit: Type.Integer() }),
  metadata: Type.Record(Type.String(), MetricFacts),
})
export type Analytics = Static<typeof Analytics>

export const MetricsQuery = Type.Object({ checkType: CheckTypeName })

export const SummaryQuery = Type.Object({
  quickRange: OneOf(['last24Hours', 'last7Days', 'thisWeek', 'lastWeek', 'lastMonth'], {
    default: 'last24Hours',
  }),
})
export const SummaryBody = Type.Object({
  checkIds: Type.Array(Text({ maxLength: 255 }), { minItems: 1, maxItems: 100 }),
})

const Value = Type.Optional(Nullable(Type.Number()))

/** A field that does not apply to the type is absent; null says that there is no result. */
export const Summary = Type.Object({
  checkId: Type.String(),
  checkType: CheckTypeName,
  availability: Value,
  responseTime_avg: Value,
  responseTime_p50: Value,
  responseTime_p95: Value,
  responseTime_p99: Value,
  latency_avg: Value,
  latency_p50: Value,
  latency_p95: Value,
  latency_p99: Value,
  packetLoss_avg: Value,
  packetLoss_p95: Value,
  packetLoss_p99: Value,
})
export type Summary = Static<typeof Summary>
