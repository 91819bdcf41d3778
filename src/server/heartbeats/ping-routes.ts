import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { Text } from '../../contract/schema.ts'
import { readBodyBeginning, storableText } from '../../lib/body-beginning.ts'
import type { Clock } from '../../lib/clock.ts'
import { isLinkPreview } from '../../rules/link-previews.ts'
import {
  isPingToken,
  keptPingBytes,
  pingMethods as methods,
  type PingSignal,
  pingHeader,
  pingPath,
  pingSignalOf,
  mostPingsAMinute as pingsAMinute,
  plainPing,
} from '../../rules/ping-request.ts'
import type { Database } from '../../storage/database.ts'
import { ApiError, notFound } from '../http/api-error.ts'
import type { App } from '../http/app-type.ts'
import { OwnDowntime } from './own-downtime.ts'
import { PingCrowds } from './ping-crowds.ts'
import { PingGatherer } from './ping-gatherer.ts'

export interface PingRouteOptions {
  readonly database: Database
  readonly clock: Clock
  readonly downtime?: OwnDowntime | undefined
}

const tags = ['Heartbeats']
const path = `${pingPath}:token`
const response = { 200: Type.String() }
const otherMethods = ['PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

const tokenOf = ({ params }: FastifyRequest): string =>
  typeof params === 'object' && params && 'token' in params ? String(params.token).toLowerCase() : ''

/** The URLs that jobs ping (semantics §7): whoever has one needs no key. */
export function pingRoutes(app: App, { database, clock, downtime }: PingRouteOptions): void {
  const pings = new PingGatherer({ database, clock, downtime: downtime ?? new OwnDowntime(null) })
  const options = { pings, clock, crowds: new PingCrowds(clock) }
  void app.register(async (scope: App) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request: FastifyRequest, body: IncomingMessage) =>
      readBodyBeginning(body, keptPingBytes),
    )
    const limit = scope.rateLimit({ max: pingsAMinute, timeWindow: 60_000, keyGenerator: tokenOf })
    const onRequest = [limit, forgetType]
    const shared = { config: { rateLimit: false as const }, onRequest, exposeHeadRoute: false }
    for (const method of methods) {
      scope.route({
        ...shared,
        method,
        url: path,
        schema: {
          tags,
          summary: `Ping a heartbeat, by ${method}`,
          description: `A job that is over and well. Rate limit: ${pingsAMinute} requests in 60 seconds for each token.`,
          params: Type.Object({ token: Text({ maxLength: 100 }) }),
          response,
        },
        handler: (request, reply) => answer(options, request, reply, plainPing),
      })
      scope.route({
        ...shared,
        method,
        url: `${path}/:signal`,
        schema: {
          tags,
          summary: `Signal a heartbeat, by ${method}`,
          description:
            '`start`: the job begins. `fail`: it failed. 0 to 255: what it ended with; all but 0 are failures.',
          params: Type.Object({ token: Text({ maxLength: 100 }), signal: Text({ maxLength: 10 }) }),
          response,
        },
        handler: (request, reply) => answer(options, request, reply, signalOf(request.params.signal)),
      })
    }
    for (const url of [path, `${path}/:signal`])
      scope.route({
        ...shared,
        method: [...otherMethods],
        url,
        schema: { hide: true },
        handler: refuseMethod,
      })
  })
}

/** Whatever a job says that its body is, also when that is no type at all, it is read as bytes. */
async function forgetType({ raw }: FastifyRequest): Promise<void> {
  if (raw.headers['content-type'] !== undefined) raw.headers['content-type'] = 'application/octet-stream'
}

function refuseMethod(_request: FastifyRequest, reply: FastifyReply): never {
  reply.header('allow', methods.join(', '))
  throw new ApiError('METHOD_NOT_ALLOWED', `a heartbeat is pinged by ${methods.join(', ')}`)
}

/** @throws ApiError 404 */
function signalOf(text: string): PingSignal {
  const signal = pingSignalOf(text)
  if (signal === null) throw notFound('signal of a heartbeat')
  return signal
}

function headerOf({ headers }: FastifyRequest, ...names: readonly ('origin' | 'referer' | 'user-agent')[]) {
  const value = pingHeader(names.map((name) => headers[name]))
  return value === null ? null : storableText(value)
}

interface Answering {
  readonly pings: PingGatherer
  readonly clock: Clock
  readonly crowds: PingCrowds
}

/** 200 when the ping is stored, or does not count. @throws ApiError 404, 503 */
async function answer(
  { pings, clock, crowds }: Answering,
  request: FastifyRequest,
  reply: FastifyReply,
  signal: PingSignal,
) {
  const at = clock.now()
  const token = tokenOf(request)
  if (!isPingToken(token)) throw notFound('heartbeat')
  const userAgent = headerOf(request, 'user-agent')
  reply.type('text/plain; charset=utf-8').header('cache-control', 'no-store')
  if (userAgent !== null && isLinkPreview(userAgent)) return reply.send('OK')
  const source = headerOf(request, 'origin', 'referer')
  const body = typeof request.body === 'string' ? request.body : null
  const crowded = crowds.joins(token)
  const told = { token, ...signal, at, source, userAgent, body, durationMs: null, crowded }
  const known = await pings.take(told)
  if (!known) throw notFound('heartbeat')
  return reply.send('OK')
}
