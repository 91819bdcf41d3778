import helmet from '@fastify/helmet'
import Fastify, { LogController } from 'fastify'
import type { TSchema } from 'typebox'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { Sealer } from '../lib/sealing.ts'
import type { Secret } from '../lib/secret.ts'
import { validator } from '../lib/validate.ts'
import type { Database } from '../storage/database.ts'
import { agentGatewayRoutes } from './agent-gateway/routes.ts'
import { describeAccess, registerDocumentation } from './documentation/documentation.ts'
import type { LoopTroubles } from './health/loop-troubles.ts'
import { healthRoutes } from './health/routes.ts'
import type { OwnDowntime } from './heartbeats/own-downtime.ts'
import { ApiError, inputInvalid } from './http/api-error.ts'
import type { App } from './http/app-type.ts'
import { authenticateAccount, authenticateAgent } from './http/authentication.ts'
import { acceptGzip, acceptJson } from './http/content.ts'
import { errorHandler } from './http/error-handler.ts'
import { lazySerializer } from './http/lazy-serializer.ts'
import { limitRate, sharedCountsOf } from './http/limit-rate.ts'
import { countingRefusals, limitStrangers } from './http/limit-strangers.ts'
import type { StaticIp } from './resources/static-ips/parse-static-ips.ts'
import { accountResources, publicResources } from './resources.ts'
import type { WakeUp } from './wake-up.ts'

export interface AppOptions {
  readonly database: Database
  readonly clock: Clock
  readonly logger: Logger
  /** Of the secrets in the database. */
  readonly sealer: Sealer
  readonly version: string
  readonly embeddedAgentKey: Secret | undefined
  readonly rateLimitAMinute: number
  /** Whose word on where a request comes from is believed: addresses and CIDR blocks; nobody's without. */
  readonly trustedProxies?: readonly string[]
  /** What people and agents reach the service by; the address that it listens on without. */
  readonly publicOrigin?: string | undefined
  /** Where agents send from, as far as that is fixed: nothing is said of it without. */
  readonly staticIps?: readonly StaticIp[]
  /** Whether badges are served to whoever asks: they are unless this is false. */
  readonly badges?: boolean
  readonly planned: WakeUp
  /** When no server could take pings; none is known of without. */
  readonly downtime?: OwnDowntime | undefined
  /** Told by GET /health. */
  readonly troubles?: LoopTroubles
  /** Ends the waits of long polls when the service stops. */
  readonly closing: AbortSignal
}

/** Twice what a resource may hold (stored/definition-text); a route that takes more has its own. */
const bodyLimitBytes = 512 * 1024
/** Lists and objects of a body in one another. */
const mostDepth = 64
/** What a batch of results may expand to. */
const agentBodyLimitBytes = 64 * 1024 * 1024

/** Names in the error body follow the contract: `payload` is the body. */
const sources: Readonly<Record<string, string>> = { body: 'payload', querystring: 'query' }

function validatorCompiler({ schema, httpPart = 'body' }: { schema: TSchema; httpPart?: string }) {
  const validate = validator(schema, { convert: httpPart !== 'body' })
  return (input: unknown) => {
    const read = validate(input)
    if (read.kind === 'valid') return { value: read.value }
    return { error: inputInvalid(read.faults, sources[httpPart] ?? httpPart) }
  }
}

/** The HTTP server without a socket: `inject` it or let it listen. */
export async function buildApp(options: AppOptions): Promise<App> {
  const { database, clock, logger, sealer, embeddedAgentKey, rateLimitAMinute: max } = options
  const onError = errorHandler(logger)
  const app: App = Fastify({
    // Of its own accord the library says nothing that an operator must know.
    loggerInstance: logger.child({}, { level: 'warn' }),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: bodyLimitBytes,
    routerOptions: { maxParamLength: 300 },
    requestTimeout: 60_000,
    trustProxy: options.trustedProxies?.length ? [...options.trustedProxies] : false,
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => void onError(error, request, reply),
  })
  app.setValidatorCompiler<TSchema>(validatorCompiler)
  app.setSerializerCompiler(lazySerializer)
  const shared = sharedCountsOf(app, options)
  const limit = { max, ...(shared && { shared }) }
  const countStranger = await limitStrangers(app, limit)
  app.setErrorHandler(countingRefusals(onError, countStranger))
  app.setNotFoundHandler(async (request, reply) => {
    await countStranger(request, reply)
    throw new ApiError('NOT_FOUND', `There is no ${request.method} ${request.url.split('?', 1)[0]}`)
  })
  acceptJson(app, mostDepth)
  await app.register(helmet, { contentSecurityPolicy: false })
  await registerDocumentation(app, options.version)
  healthRoutes(app, options)

  const authentication = { db: database.kysely, clock, embeddedAgentKey }
  const { publicOrigin, planned, closing } = options
  const resources = { database, clock, sealer, rateLimitAMinute: max, publicOrigin, planned, closing }
  const { staticIps = [], badges = true, downtime } = options
  await app.register(async (scope: App) => {
    describeAccess(scope, 'public')
    await limitRate(scope, { max })
    publicResources(scope, { ...resources, staticIps, badges, countStranger, downtime })
  })
  await app.register(async (scope: App) => {
    describeAccess(scope, 'account')
    scope.addHook('onRequest', authenticateAccount(authentication))
    await limitRate(scope, limit)
    accountResources(scope, resources)
  })
  await app.register(async (scope: App) => {
    describeAccess(scope, 'location')
    scope.addHook('onRoute', (route) => {
      route.bodyLimit = agentBodyLimitBytes
    })
    scope.addHook('onRequest', authenticateAgent(authentication))
    acceptJson(scope)
    acceptGzip(scope)
    agentGatewayRoutes(scope, options)
  })
  return app
}
