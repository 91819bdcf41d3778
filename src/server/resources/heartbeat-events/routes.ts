import { Type } from 'typebox'
import {
  HeartbeatAvailability,
  type HeartbeatEvent,
  HeartbeatEvents,
  HeartbeatEventWithStats,
  HeartbeatWindowQuery,
} from '../../../contract/resources/heartbeat-event.ts'
import { Text } from '../../../contract/schema.ts'
import { dateTimeText } from '../../../contract/wire-time.ts'
import type { Clock } from '../../../lib/clock.ts'
import { dayMs } from '../../../rules/rollup-time.ts'
import { findCheck } from '../../../storage/checks.ts'
import type { Database } from '../../../storage/database.ts'
import {
  findHeartbeatEvent,
  type HeartbeatEventRow,
  listHeartbeatEvents,
} from '../../../storage/heartbeat-events.ts'
import { found } from '../../http/api-error.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf } from '../../http/authentication.ts'
import { windowOf } from '../../http/time-window.ts'
import { availability } from './availability.ts'

const tags = ['Heartbeats']
const ByCheckId = Type.Object({ checkId: Text() })

function toResource({
  at,
  accountId: _accountId,
  checkId: _checkId,
  ...event
}: HeartbeatEventRow): HeartbeatEvent {
  return { ...event, timestamp: dateTimeText(at) }
}

/** What became of the pings of a heartbeat check (semantics §7). */
export function heartbeatEventRoutes(
  app: App,
  { database, clock }: { readonly database: Database; readonly clock: Clock },
): void {
  const db = database.kysely

  async function assertHeartbeat(accountId: string, checkId: string): Promise<void> {
    const check = await findCheck(db, accountId, checkId)
    found(check?.type === 'HEARTBEAT' ? check : undefined, 'heartbeat check')
  }

  async function stats(checkId: string) {
    const to = clock.now() + 1
    return {
      last24Hours: await availability(db, checkId, { from: to - dayMs, to }),
      last7Days: await availability(db, checkId, { from: to - 7 * dayMs, to }),
    }
  }

  function windowFrom({ startTime, endTime }: { startTime?: string; endTime?: string }) {
    return windowOf({ from: startTime, to: endTime }, clock.now(), dayMs, ['startTime', 'endTime'])
  }

  app.get(
    '/v1/checks/heartbeats/:checkId/availability',
    {
      schema: {
        tags,
        params: ByCheckId,
        querystring: Type.Object(HeartbeatWindowQuery),
        response: { 200: HeartbeatAvailability },
      },
    },
    async (request, reply) => {
      const { checkId } = request.params
      await assertHeartbeat(accountOf(request), checkId)
      return reply.send(await availability(db, checkId, windowFrom(request.query)))
    },
  )

  app.get(
    '/v1/checks/heartbeats/:checkId/events',
    {
      schema: {
        tags,
        params: ByCheckId,
        querystring: Type.Object({
          ...HeartbeatWindowQuery,
          limit: Type.Integer({ default: 10, minimum: 1, maximum: 10 }),
        }),
        response: { 200: HeartbeatEvents },
      },
    },
    async (request) => {
      const { checkId } = request.params
      await assertHeartbeat(accountOf(request), checkId)
      const rows = await listHeartbeatEvents(db, checkId, windowFrom(request.query), request.query.limit)
      return [{ events: rows.map(toResource), stats: await stats(checkId) }]
    },
  )

  app.get(
    '/v1/checks/heartbeats/:checkId/events/:id',
    {
      schema: {
        tags,
        params: Type.Object({ ...ByCheckId.properties, id: Text() }),
        response: { 200: HeartbeatEventWithStats },
      },
    },
    async (request) => {
      const { checkId, id } = request.params
      await assertHeartbeat(accountOf(request), checkId)
      const event = found(await findHeartbeatEvent(db, checkId, id), 'event of this heartbeat')
      return { event: toResource(event), stats: await stats(checkId) }
    },
  )
}
