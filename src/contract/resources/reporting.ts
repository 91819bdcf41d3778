import { type Static, Type } from 'typebox'
import { Nullable, OneOf, Text } from '../schema.ts'
import { InstantQuery } from '../wire-time.ts'

const ranges = ['last7Days', 'last30Days', 'thisWeek', 'thisMonth', 'lastWeek', 'lastMonth'] as const

const tagsText = Type.Optional(
  Type.Array(Text({ maxLength: 255 }), { maxItems: 100, description: 'checks that have one of these tags' }),
)

export const ReportQuery = Type.Object({
  from: Type.Optional(InstantQuery),
  to: Type.Optional(InstantQuery),
  quickRange: OneOf(['last24Hrs', 'last24Hours', ...ranges], {
    default: 'last24Hrs',
    description: 'unless `from` or `to` is given',
  }),
  filterByTags: tagsText,
  'filterByTags[]': tagsText,
  deactivated: Type.Optional(Nullable(Type.Boolean())),
})
export type ReportQuery = Static<typeof ReportQuery>

const Figure = Type.Number({ minimum: 0 })

/**
 * `aggregate` is absent where no result says anything of the target, and no ping of a heartbeat was expected: a 0 there
 * would be a lie. Times are 0 where nothing was timed: a heartbeat without a request has none.
 */
export const ReportEntry = Type.Object({
  name: Type.String(),
  checkId: Type.String(),
  checkType: Type.String(),
  deactivated: Type.Boolean(),
  tags: Type.Array(Type.String()),
  aggregate: Type.Optional(
    Type.Object({
      successRatio: Type.Number({
        minimum: 0,
        description:
          'percent of results that did not fail, of a heartbeat: of expected pings that came in time',
      }),
      avg: Figure,
      p95: Figure,
      p99: Figure,
    }),
  ),
})
export type ReportEntry = Static<typeof ReportEntry>
