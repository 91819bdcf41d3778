import { Type } from 'typebox'
import { PrivateLocationMetrics } from '../../../contract/resources/private-location.ts'
import { Text } from '../../../contract/schema.ts'
import { dateTimeText, InstantQuery, parseInstant } from '../../../contract/wire-time.ts'
import { listLocationMetrics } from '../../../storage/location-metrics.ts'
import { findPrivateLocation } from '../../../storage/private-locations.ts'
import { inputInvalid, notFound } from '../../http/api-error.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf } from '../../http/authentication.ts'
import type { PrivateLocationOptions } from './routes.ts'

/** service.md, Limits: private location metrics window start. */
const windowMs = 15 * 24 * 60 * 60_000

function readWindow(query: { from: string; to: string }, now: number): { from: number; to: number } {
  const [from, to] = [parseInstant(query.from), parseInstant(query.to)]
  const fault = (path: string, rule: string) => inputInvalid([{ path, text: `"${path}" ${rule}` }], 'query')
  if (from === null) throw fault('from', 'must be a UNIX timestamp or an ISO 8601 date')
  if (to === null) throw fault('to', 'must be a UNIX timestamp or an ISO 8601 date')
  if (from <= now - windowMs) throw fault('from', 'must be less than 15 days in the past')
  if (to < from) throw fault('to', 'must not be before "from"')
  return { from, to }
}

export function privateLocationMetricsRoute(app: App, { database, clock }: PrivateLocationOptions): void {
  app.get(
    '/v1/private-locations/:id/metrics',
    {
      schema: {
        tags: ['Private locations'],
        params: Type.Object({ id: Text() }),
        querystring: Type.Object({ from: InstantQuery, to: InstantQuery }),
        response: { 200: PrivateLocationMetrics },
      },
    },
    async (request) => {
      const accountId = accountOf(request)
      const window = readWindow(request.query, clock.now())
      const location = await findPrivateLocation(database.kysely, accountId, request.params.id)
      if (!location) throw notFound('private location')
      const samples = await listLocationMetrics(database.kysely, {
        accountId,
        location: location.slugName,
        ...window,
      })
      return {
        timestamps: samples.map(({ at }) => dateTimeText(at)),
        queueSize: samples.map(({ queueSize }) => queueSize),
        oldestScheduledCheckRun: samples.map(
          ({ oldestScheduledCheckRunMs }) => oldestScheduledCheckRunMs / 1000,
        ),
      }
    },
  )
}
