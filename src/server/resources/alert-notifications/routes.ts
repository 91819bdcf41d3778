import { Type } from 'typebox'
import { AlertNotification, AlertNotificationQuery } from '../../../contract/resources/alert-notification.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Sealer } from '../../../lib/sealing.ts'
import { listAlertNotifications } from '../../../storage/alert-notifications.ts'
import type { Database } from '../../../storage/database.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf } from '../../http/authentication.ts'
import { pageOf, setContentRange } from '../../http/paging.ts'
import { routeLimit } from '../../http/route-limit.ts'
import { windowOf } from '../../http/time-window.ts'
import { toResource } from './to-resource.ts'

const tags = ['Alert notifications']
const dayMs = 24 * 3_600_000

interface NotificationOptions {
  readonly rateLimitAMinute: number
  readonly database: Database
  readonly clock: Clock
  readonly sealer: Sealer
}

/** What alert channels were given to send, newest first; of the last 24 hours unless the query says otherwise. */
export function alertNotificationRoutes(app: App, options: NotificationOptions): void {
  const { database, clock, sealer, rateLimitAMinute } = options
  app.get(
    '/v1/alert-notifications',
    {
      config: { rateLimit: routeLimit(rateLimitAMinute, { requests: 5, seconds: 10 }) },
      schema: {
        tags,
        querystring: AlertNotificationQuery,
        response: { 200: Type.Array(AlertNotification) },
      },
    },
    async (request, reply) => {
      const { alertChannelId: channelId, hasFailures } = request.query
      const page = pageOf(request.query)
      const filter = {
        accountId: accountOf(request),
        ...windowOf(request.query, clock.now(), dayMs),
        ...(channelId !== undefined && { channelId }),
        ...(hasFailures !== undefined && { hasFailures }),
      }
      const { rows, total } = await listAlertNotifications(database.kysely, filter, page)
      setContentRange(reply, page.offset, rows.length, total)
      return rows.map((row) => toResource(sealer, row))
    },
  )
}
