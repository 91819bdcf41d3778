import { type Static, Type } from 'typebox'
import type { CheckTypeName } from '../../../contract/check-types.ts'
import {
  Analytics,
  AnalyticsQuery,
  MetricsQuery,
  Summary,
  SummaryBody,
  SummaryQuery,
} from '../../../contract/resources/analytics.ts'
import { Text } from '../../../contract/schema.ts'
import { dateTimeText } from '../../../contract/wire-time.ts'
import type { Clock } from '../../../lib/clock.ts'
import { findCheck } from '../../../storage/checks.ts'
import type { Database } from '../../../storage/database.ts'
import type { Schema } from '../../../storage/schema.ts'
import { notFound } from '../../http/api-error.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf } from '../../http/authentication.ts'
import { routeLimit } from '../../http/route-limit.ts'
import { anyCheckOf } from '../../stored/stored-check.ts'
import { metricsOf } from './metric-table.ts'
import { readQuestion } from './read-query.ts'
import { seriesOf } from './series.ts'
import { summariesOf } from './summary.ts'

const tags = ['Analytics']

/** The last part of the path for each type that has one. */
const paths = {
  API: 'api-checks',
  BROWSER: 'browser-checks',
  DNS: 'dns',
  HEARTBEAT: 'heartbeat-checks',
  ICMP: 'icmp',
  MULTI_STEP: 'multistep-checks',
  PLAYWRIGHT: 'playwright-checks',
  TCP: 'tcp-checks',
  URL: 'url-monitors',
} as const satisfies Partial<Record<CheckTypeName, string>>
type AnalysedType = keyof typeof paths

interface AnalyticsOptions {
  readonly rateLimitAMinute: number
  readonly database: Database
  readonly clock: Clock
}

export function analyticsRoutes(app: App, { database, clock, rateLimitAMinute }: AnalyticsOptions): void {
  const config = { rateLimit: routeLimit(rateLimitAMinute, { requests: 30, seconds: 60 }) }
  const db = database.kysely

  app.get(
    '/v1/analytics/metrics',
    {
      schema: {
        tags,
        summary: 'Metrics of a check type',
        querystring: MetricsQuery,
        response: { 200: Type.Array(Type.String()) },
      },
    },
    async (request) => metricsOf(request.query.checkType).map(({ name }) => name),
  )

  app.post(
    '/v1/analytics/checks',
    {
      config,
      schema: {
        tags,
        summary: 'Availability and times of many checks',
        querystring: SummaryQuery,
        body: SummaryBody,
        response: { 200: Type.Array(Summary) },
      },
    },
    async (request) => {
      const { checkIds } = request.body
      const { quickRange: range } = request.query
      return summariesOf(db, accountOf(request), { checkIds, range, now: clock.now() })
    },
  )

  async function answer(
    type: AnalysedType,
    accountId: string,
    id: string,
    query: Static<typeof AnalyticsQuery>,
  ) {
    const check = await findCheck(db, accountId, id)
    if (check?.type !== type) throw notFound(`check of type ${type}`)
    const question = readQuestion(type, query, clock.now())
    return { ...describe(check, type), ...(await findings(check)) }

    async function findings(row: Schema['checks']) {
      const { range, metrics } = question
      return {
        from: dateTimeText(range.from),
        to: dateTimeText(range.to),
        series: await seriesOf(db, row, question),
        pagination: { page: query.page, limit: query.limit },
        metadata: Object.fromEntries(metrics.map(({ name, facts }) => [name, facts])),
      }
    }
  }

  for (const type of Object.keys(paths) as AnalysedType[]) {
    app.get(
      `/v1/analytics/${paths[type]}/:id`,
      {
        config,
        schema: {
          tags,
          summary: `Metrics of a check over time: ${type}`,
          params: Type.Object({ id: Text() }),
          querystring: AnalyticsQuery,
          response: { 200: Analytics },
        },
      },
      async (request) => answer(type, accountOf(request), request.params.id, request.query),
    )
  }
}

function describe(check: Schema['checks'], checkType: AnalysedType) {
  const { muted, frequency, tags: checkTags } = anyCheckOf(check)
  const { id: checkId, name } = check
  return { checkId, name, checkType, activated: check.activated === 1, muted, frequency, tags: checkTags }
}
