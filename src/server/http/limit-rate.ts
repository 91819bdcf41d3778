import rateLimit, { type FastifyRateLimitStore } from '@fastify/rate-limit'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Database } from '../../storage/database.ts'
import { addRequests, deleteRateLimitCountsBefore } from '../../storage/rate-limit-counts.ts'
import { ApiError } from './api-error.ts'
import type { App } from './app-type.ts'
import { callerOf } from './authentication.ts'
import { SharedRequestCounts } from './shared-request-counts.ts'

const windowMs = 60_000

export interface Limit {
  /** Requests a minute; a route may have its own as `config.rateLimit`. */
  readonly max: number
  /** Where several servers count together; each counts by itself without. */
  readonly shared?: SharedRequestCounts
}

/** What the library says of the route that a store of its own is for. */
function routeOf(options: object): string {
  const { routeInfo } = options as {
    readonly routeInfo?: { readonly method?: unknown; readonly url?: unknown }
  }
  return `${String(routeInfo?.method)} ${String(routeInfo?.url)} `
}

class SharedStore implements FastifyRateLimitStore {
  readonly #counts: SharedRequestCounts
  readonly #prefix: string

  constructor(counts: SharedRequestCounts, prefix: string) {
    this.#counts = counts
    this.#prefix = prefix
  }

  incr(key: string, callback: Parameters<FastifyRateLimitStore['incr']>[1], ofWindowMs: number): void {
    callback(null, this.#counts.count(this.#prefix + key, ofWindowMs))
  }

  child(options: object): SharedStore {
    return new SharedStore(this.#counts, routeOf(options))
  }
}

const storeOver = (counts: SharedRequestCounts) =>
  class extends SharedStore {
    constructor() {
      super(counts, '')
    }
  }

/** Counts together with other servers over PostgreSQL; an SQLite file has one server. */
export function sharedCountsOf(
  app: App,
  {
    database,
    clock,
    logger,
  }: { readonly database: Database; readonly clock: Clock; readonly logger: Logger },
): SharedRequestCounts | undefined {
  if (database.engine === 'sqlite') return undefined
  const db = database.kysely
  const counts = new SharedRequestCounts({
    clock,
    storage: {
      add: (rows) => addRequests(db, rows),
      deleteBefore: (windowStart) => deleteRateLimitCountsBefore(db, windowStart),
    },
    onError: (error) =>
      logger.warn({ err: error }, 'rate limits are enforced by this server alone until the database answers'),
  })
  app.addHook('onClose', () => counts.close())
  return counts
}

/** @param ttlMs until the caller's window ends */
export const rateLimitExceeded = (ttlMs: number): ApiError =>
  new ApiError('TOO_MANY_REQUESTS', `Rate limit exceeded, retry in ${Math.ceil(ttlMs / 1000)} seconds`)

/** Every request of the scope counts, whatever is wrong with it, once it is known whose it is. */
export async function limitRate(scope: App, { max, shared }: Limit): Promise<void> {
  await scope.register(rateLimit, {
    max,
    timeWindow: windowMs,
    hook: 'onRequest',
    keyGenerator: callerOf,
    errorResponseBuilder: (_request, { ttl }) => rateLimitExceeded(ttl),
    ...(shared && { store: storeOver(shared) }),
  })
}
