import { Type } from 'typebox'
import { type AlertType, CheckAlert, CheckAlertQuery } from '../../../contract/resources/check-alert.ts'
import { Text } from '../../../contract/schema.ts'
import { dateTimeText } from '../../../contract/wire-time.ts'
import type { Clock } from '../../../lib/clock.ts'
import { listCheckAlerts } from '../../../storage/check-alerts.ts'
import { findCheck } from '../../../storage/checks.ts'
import type { Database } from '../../../storage/database.ts'
import type { Schema } from '../../../storage/schema.ts'
import { found } from '../../http/api-error.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf } from '../../http/authentication.ts'
import { pageOf, setContentRange } from '../../http/paging.ts'
import { windowOf } from '../../http/time-window.ts'
import { checkTypeOf } from '../../stored/stored-check.ts'

const tags = ['Check alerts']
const sixHoursMs = 6 * 3_600_000
const ByCheck = Type.Object({ checkId: Text() })
const response = { 200: Type.Array(CheckAlert) }

function toResource(row: Schema['checkAlerts']): CheckAlert {
  return {
    id: row.id,
    name: row.name,
    checkId: row.checkId,
    // The column holds one of the contract's names and nothing else.
    alertType: row.alertType as AlertType,
    checkType: checkTypeOf({ type: row.checkType }),
    runLocation: row.location,
    responseTime: row.responseTimeMs ?? 0,
    error: row.error,
    statusCode: row.statusCode,
    created_at: dateTimeText(row.createdAt),
    startedAt: dateTimeText(row.startedAt),
  }
}

/** What checks alerted of, newest first; of the last six hours unless the query says otherwise. */
export function checkAlertRoutes(
  app: App,
  { database, clock }: { readonly database: Database; readonly clock: Clock },
): void {
  const db = database.kysely

  app.get(
    '/v1/check-alerts',
    { schema: { tags, querystring: CheckAlertQuery, response } },
    async (request, reply) => {
      const page = pageOf(request.query)
      const window = windowOf(request.query, clock.now(), sixHoursMs)
      const filter = { accountId: accountOf(request), ...window }
      const { rows, total } = await listCheckAlerts(db, filter, page)
      setContentRange(reply, page.offset, rows.length, total)
      return rows.map(toResource)
    },
  )

  app.get(
    '/v1/check-alerts/:checkId',
    { schema: { tags, params: ByCheck, querystring: CheckAlertQuery, response } },
    async (request, reply) => {
      const accountId = accountOf(request)
      const { id } = found(await findCheck(db, accountId, request.params.checkId), 'check')
      const page = pageOf(request.query)
      const window = windowOf(request.query, clock.now(), sixHoursMs)
      const { rows, total } = await listCheckAlerts(db, { accountId, checkId: id, ...window }, page)
      setContentRange(reply, page.offset, rows.length, total)
      return rows.map(toResource)
    },
  )
}
