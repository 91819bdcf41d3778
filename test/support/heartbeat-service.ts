import type { InjectOptions, LightMyRequestResponse as Response } from 'fastify'
import type { CheckStatusResource } from '../../src/contract/resources/check-status.ts'
import type { HeartbeatEvent } from '../../src/contract/resources/heartbeat-event.ts'
import { overdueTurns } from '../../src/server/heartbeats/fail-overdue.ts'
import { OwnDowntime } from '../../src/server/heartbeats/own-downtime.ts'
import type { Database } from '../../src/storage/database.ts'
import { startTestService, type TestService } from './test-service.ts'

export interface HeartbeatService extends TestService {
  /** A heartbeat of a period of 10 minutes and a grace of 2, with these changes. */
  heartbeat(changes?: object): Promise<{ readonly id: string; readonly token: string }>
  ping(token: string, options?: Partial<InjectOptions> & { readonly says?: string }): Promise<Response>
  /** Moves the clock on with the service alive all the while. */
  pass(ms: number): Promise<void>
  /** Nothing of the service runs meanwhile; then it starts again. */
  beDownFor(ms: number): Promise<void>
  /** Oldest first. */
  events(checkId: string): Promise<HeartbeatEvent[]>
  states(checkId: string): Promise<string[]>
  status(checkId: string): Promise<CheckStatusResource | null>
}

export const secondMs = 1000
export const minuteMs = 60_000

/** The service without a socket, its heartbeats looked at whenever the clock of the test moves. */
export async function startHeartbeatService(database?: Database): Promise<HeartbeatService> {
  const first = new OwnDowntime(null)
  const publicOrigin = 'https://picket.example'
  const service = await startTestService({ ...(database && { database }), publicOrigin, downtime: first })
  const { clock } = service
  const begin = (downtime: OwnDowntime) => overdueTurns({ database: service.database, clock, downtime })
  let turn = begin(first)
  const pass = async (ms: number) => {
    const until = clock.now() + ms
    for (;;) {
      const waitMs = await turn()
      if (clock.now() >= until) return
      clock.advance(Math.min(waitMs, until - clock.now()))
    }
  }
  const events = async (checkId: string) => {
    const url = `/v1/checks/heartbeats/${checkId}/events?startTime=2026-03-01T00:00:00Z&endTime=2026-04-01T00:00:00Z`
    const answer = await service.api('GET', url)
    return answer.json()[0].events.toReversed()
  }
  return {
    ...service,
    heartbeat: async (changes = {}) => {
      const heartbeat = { period: 10, periodUnit: 'minutes', grace: 2, graceUnit: 'minutes' }
      const body = { name: 'Backup', script: '', heartbeat, ...changes }
      const answer = await service.api('POST', '/v1/checks/heartbeat', body)
      if (answer.statusCode !== 201) throw new Error(answer.body)
      const made = answer.json()
      return { id: made.id, token: made.heartbeat.pingToken }
    },
    ping: (token, { says, ...options } = {}) =>
      service.app.inject({
        method: 'GET',
        url: `/heartbeats/ping/${token}${says === undefined ? '' : `/${says}`}`,
        ...options,
      }),
    pass,
    beDownFor: async (ms) => {
      clock.advance(ms)
      turn = begin(await OwnDowntime.read(service.database.kysely))
    },
    events,
    states: async (checkId) => (await events(checkId)).map(({ state }: HeartbeatEvent) => state),
    status: async (checkId) => (await service.api('GET', `/v1/check-statuses/${checkId}`)).json(),
  }
}
