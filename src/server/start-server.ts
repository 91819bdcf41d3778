import { AppError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import { Closers } from '../lib/closers.ts'
import type { Logger } from '../lib/logger.ts'
import { loop } from '../lib/loop.ts'
import { type Database, openDatabase } from '../storage/database.ts'
import { migrate } from '../storage/migrate.ts'
import { type AppOptions, buildApp } from './app.ts'
import type { ServerConfig } from './config.ts'
import { ensureFirstAccount, type FirstAccount } from './first-account.ts'
import { firstCheck, idDueSoon } from './first-check.ts'
import { LoopTroubles } from './health/loop-troubles.ts'
import { overdueTurns } from './heartbeats/fail-overdue.ts'
import { OwnDowntime } from './heartbeats/own-downtime.ts'
import type { App } from './http/app-type.ts'
import { expireRunsTurn } from './loops/expire-runs.ts'
import { startHousekeeping } from './loops/housekeeping.ts'
import { LocationWatch } from './loops/location-watch.ts'
import { sampleLocationMetricsTurn } from './loops/sample-location-metrics.ts'
import { schedulerTurn } from './loops/scheduler.ts'
import { watchLocationHealthTurn } from './loops/watch-location-health.ts'
import { OverdueWatch } from './loops/watch-overdue.ts'
import { createCheck } from './resources/checks/store-check.ts'
import { assertKeyIsKnown, openSealer } from './secrets/open-sealer.ts'
import { sealStored } from './secrets/seal-stored.ts'
import { noteKnownSchedules } from './stored/schedule-changes.ts'
import { WakeUp } from './wake-up.ts'

export interface ServerOptions {
  readonly config: ServerConfig
  readonly clock: Clock
  readonly logger: Logger
  readonly version: string
}

export interface RunningServer {
  /** Where the service listens, without a slash at the end. */
  readonly url: string
  readonly firstAccount: FirstAccount
  close(): Promise<void>
}

async function listen(app: App, config: ServerConfig): Promise<string> {
  try {
    await app.listen({ host: config.host, port: config.port })
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : ''
    const reason =
      code === 'EADDRINUSE'
        ? 'is in use: stop what listens there, or set PICKET_PORT to another'
        : 'cannot be listened on: look at PICKET_HOST and PICKET_PORT'
    throw new AppError('PORT_UNAVAILABLE', `Port ${config.port} of ${config.host} ${reason}`, {
      fatal: true,
      cause,
    })
  }
  const address = app.server.address()
  const port = typeof address === 'object' && address ? address.port : config.port
  const host = config.host === '0.0.0.0' || config.host === '::' ? '127.0.0.1' : config.host
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** What runs beside the HTTP server until `signal` ends it. A failing turn is said and tried again. */
function startLoops(
  database: Database,
  { planned, downtime }: { readonly planned: WakeUp; readonly downtime: OwnDowntime },
  options: ServerOptions,
  troubles: LoopTroubles,
  signal: AbortSignal,
): Promise<void>[] {
  const { clock, logger } = options
  const locations = new LocationWatch({ db: database.kysely, logger, startedAt: clock.now() })
  const overdue = new OverdueWatch({ database, clock, logger })
  const turns = {
    'planning runs': () => schedulerTurn({ database, clock, locations, planned }),
    'expiring runs': () => expireRunsTurn({ database, clock, logger }),
    'sampling queues': () => sampleLocationMetricsTurn({ database, clock }),
    'watching for overdue checks': () => overdue.turn(),
    'failing silent heartbeats': overdueTurns({ database, clock, downtime }),
    'watching the health of locations': () => watchLocationHealthTurn({ database, clock, logger }),
  }
  return Object.entries(turns).map(([name, turn]) => {
    const told = async () => {
      const waitMs = await turn()
      troubles.worked(name)
      return waitMs
    }
    const onError = (error: unknown, retryInMs: number) => {
      troubles.failed(name)
      logger.error({ err: error, retryInMs: Math.round(retryInMs) }, `${name} failed and is tried again`)
    }
    return loop({ turn: told, onError, signal, backoff: { baseMs: 250, maxMs: 10_000 } })
  })
}

/**
 * Opens storage, brings its schema up to date, listens, and plans runs.
 * @throws AppError when storage, the key of its secrets or the port cannot be had; nothing is left open then
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { config, clock, logger, version } = options
  const closers = new Closers()
  try {
    const keySource = assertKeyIsKnown(config.secretKey)
    const database = await openDatabase(config.databaseUrl.reveal())
    closers.push('database', () => database.close())
    const applied = await migrate(database)
    if (applied.length > 0) logger.info({ migrations: applied }, 'the database schema was brought up to date')
    const sealer = await openSealer(database, keySource, clock)
    const sealed = await sealStored(database, sealer)
    if (sealed > 0) logger.info({ rows: sealed }, 'secrets that were stored in clear are encrypted')

    await noteKnownSchedules(database)

    const closing = new AbortController()
    const planned = new WakeUp()
    const downtime = await OwnDowntime.read(database.kysely)
    const troubles = new LoopTroubles()
    const { accountId, apiKey, embeddedAgentKey, rateLimitAMinute, trustedProxies, staticIps, badges } =
      config
    const appOptions: AppOptions = {
      database,
      clock,
      logger,
      sealer,
      publicOrigin: config.publicUrl?.origin,
      version,
      embeddedAgentKey,
      rateLimitAMinute,
      trustedProxies,
      staticIps,
      badges,
      planned,
      downtime,
      troubles,
      closing: closing.signal,
    }
    const app = await buildApp(appOptions)
    closers.push('HTTP server', () => app.close())
    const url = await listen(app, config)
    // Only now: a generated key that nobody is told of, because the port was taken, would be lost.
    const firstAccount = await ensureFirstAccount({ database, clock, accountId, apiKey })
    if (firstAccount.created && embeddedAgentKey) {
      const check = firstCheck(config.publicUrl?.origin ?? url)
      const id = idDueSoon(check, clock.now())
      await createCheck({ database, clock, sealer }, firstAccount.accountId, { type: 'API', check }, { id })
    }
    const loops = startLoops(database, { planned, downtime }, options, troubles, closing.signal)
    const { resultRetentionDays, rollupRetentionDays, missedSlotRetentionDays } = config
    const retention = { resultRetentionDays, rollupRetentionDays, missedSlotRetentionDays }
    closers.push('loops', () => Promise.all(loops))
    closers.push('housekeeping', startHousekeeping({ database, clock, logger, ...retention }))
    closers.push('waits', () => closing.abort())
    return { url, firstAccount, close: () => closers.close() }
  } catch (error) {
    await closers.close()
    throw error
  }
}
