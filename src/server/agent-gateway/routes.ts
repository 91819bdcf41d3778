import type { FastifyReply } from 'fastify'
import { PingsRequest, PingsResponse } from '../../contract/agent-pings.ts'
import {
  ClaimRequest,
  ClaimResponse,
  DefinitionsRequest,
  DefinitionsResponse,
  ErrorReport,
  leaseMs,
  ReleaseRequest,
  ReleaseResponse,
  RenewRequest,
  RenewResponse,
  ResultsRequest,
  ResultsResponse,
} from '../../contract/agent-protocol.ts'
import { SchedulesRequest, SchedulesResponse } from '../../contract/agent-schedules.ts'
import type { Logger } from '../../lib/logger.ts'
import { insertAgentErrorReport } from '../../storage/agent-error-reports.ts'
import { releaseRuns, renewLeases } from '../../storage/run-leases.ts'
import { OwnDowntime } from '../heartbeats/own-downtime.ts'
import type { App } from '../http/app-type.ts'
import { agentOf } from '../http/authentication.ts'
import { limitRate } from '../http/limit-rate.ts'
import { AgentsSeen } from './agents-seen.ts'
import { type ClaimOptions, claim } from './claims.ts'
import { definitionsFor } from './definitions.ts'
import { schedulesFor } from './schedules.ts'
import { reachOf } from './served-locations.ts'
import { takeRelayedPings } from './take-relayed-pings.ts'
import { takeResults } from './take-results.ts'

export interface GatewayOptions extends Omit<ClaimOptions, 'seen'> {
  readonly logger: Logger
  /** When no server could take pings; none is known of without. */
  readonly downtime?: OwnDowntime | undefined
  /** Ends the waits of long polls. */
  readonly closing: AbortSignal
}

/** Of a key. An agent sends ten at most, and a location has some of them. */
const reportsAMinute = 300

/** Aborts when whoever asked is gone. The request itself is closed as soon as its body was read: that says nothing. */
function gone(reply: FastifyReply): AbortSignal {
  const leaving = new AbortController()
  reply.raw.once('close', () => leaving.abort())
  return leaving.signal
}

/** The routes that agents speak to (contract/agent-protocol). */
export function agentGatewayRoutes(app: App, options: GatewayOptions): void {
  const { database, clock, logger, planned, closing } = options
  const db = database.kysely
  const tags = ['Agents']
  const claiming = { ...options, seen: new AgentsSeen(options) }

  app.post(
    '/agent/v1/claims',
    { schema: { tags, body: ClaimRequest, response: { 200: ClaimResponse } } },
    (request, reply) =>
      claim(claiming, agentOf(request), request.body, AbortSignal.any([closing, gone(reply)])),
  )

  app.post(
    '/agent/v1/schedules',
    { schema: { tags, body: SchedulesRequest, response: { 200: SchedulesResponse } } },
    (request) => schedulesFor(options, agentOf(request), request.body),
  )

  app.post(
    '/agent/v1/definitions',
    { schema: { tags, body: DefinitionsRequest, response: { 200: DefinitionsResponse } } },
    async (request) => ({
      definitions: await definitionsFor(options, agentOf(request), request.body.checkIds),
    }),
  )

  app.post(
    '/agent/v1/leases',
    { schema: { tags, body: RenewRequest, response: { 200: RenewResponse } } },
    async (request) => {
      const holder = { ...request.body, ...reachOf(agentOf(request)) }
      const now = clock.now()
      const held = new Set(await renewLeases(db, holder, now + leaseMs))
      return { serverTime: now, lost: holder.runIds.filter((id) => !held.has(id)) }
    },
  )

  app.post(
    '/agent/v1/releases',
    { schema: { tags, body: ReleaseRequest, response: { 200: ReleaseResponse } } },
    async (request) => {
      const released = await releaseRuns(db, { ...request.body, ...reachOf(agentOf(request)) })
      planned.signal()
      return { released }
    },
  )

  app.post(
    '/agent/v1/results',
    { schema: { tags, body: ResultsRequest, response: { 200: ResultsResponse } } },
    async (request) => {
      const agent = agentOf(request)
      const answer = await takeResults(options, agent, request.body)
      if (answer.refused.length > 0) {
        const reasons = Object.fromEntries(countBy(answer.refused.map(({ reason }) => reason)))
        logger.warn(
          { location: agent.location, agentId: request.body.agentId, reasons },
          'results of an agent were refused',
        )
      }
      return answer
    },
  )

  const relaying = { database, clock, downtime: options.downtime ?? new OwnDowntime(null) }
  app.post(
    '/agent/v1/pings',
    { schema: { tags, body: PingsRequest, response: { 200: PingsResponse } } },
    (request) => takeRelayedPings(relaying, agentOf(request), request.body.pings),
  )

  app.register(async (scope: App) => {
    await limitRate(scope, { max: reportsAMinute })
    const schema = { tags, body: ErrorReport }
    scope.post('/agent/v1/error-reports', { schema }, async (request, reply) => {
      const { accountId, location } = agentOf(request)
      await insertAgentErrorReport(db, { ...request.body, accountId, location, receivedAt: clock.now() })
      const { message, agentVersion } = request.body
      logger.warn({ location, agentVersion, report: message }, 'an agent reported an error of its own')
      return reply.code(204).send()
    })
  })
}

function countBy(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return counts
}
