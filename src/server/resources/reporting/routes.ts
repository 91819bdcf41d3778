import { Type } from 'typebox'
import { ReportEntry, ReportQuery } from '../../../contract/resources/reporting.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Database } from '../../../storage/database.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf } from '../../http/authentication.ts'
import { reportOf } from './report.ts'

interface ReportingOptions {
  readonly database: Database
  readonly clock: Clock
}

export function reportingRoutes(app: App, { database, clock }: ReportingOptions): void {
  app.get(
    '/v1/reporting',
    {
      schema: {
        tags: ['Reporting'],
        summary: 'Availability and times of every check over a range',
        querystring: ReportQuery,
        response: { 200: Type.Array(ReportEntry) },
      },
    },
    async (request) => reportOf(database.kysely, accountOf(request), request.query, clock.now()),
  )
}
