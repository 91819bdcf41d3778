import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../lib/clock.ts'
import type { Database } from '../../storage/database.ts'
import { probe } from '../../storage/probe.ts'
import { isUnavailable, unavailable } from '../../storage/unavailable.ts'
import type { App } from '../http/app-type.ts'
import type { LoopTroubles } from './loop-troubles.ts'

export interface HealthOptions {
  readonly database: Database
  readonly clock: Clock
  readonly version: string
  readonly troubles?: LoopTroubles
}

const answerWithinMs = 3000
/** Whoever asks more often hears the same again: asking is no load. */
const trueForMs = 1000

/** Null where the database works, else why not. */
async function databaseTrouble(database: Database): Promise<string | null> {
  const giveUp = new AbortController()
  const late = sleep(answerWithinMs, null, { signal: giveUp.signal }).then(() => {
    throw unavailable('slow', null)
  })
  try {
    await Promise.race([probe(database), late])
    return null
  } catch (error) {
    return isUnavailable(error) ? error.message : 'The database does not work: the log says why'
  } finally {
    giveUp.abort()
    late.catch(() => {})
  }
}

/** GET /health, for whoever watches the service: 200, or 503 while its database or one of its loops is in trouble. */
export function healthRoutes(app: App, { database, clock, version, troubles }: HealthOptions): void {
  let asked: Promise<string | null> = Promise.resolve(null)
  let askedAt = Number.NEGATIVE_INFINITY
  const ask = (): Promise<string | null> => {
    const now = clock.monotonicMs()
    if (now - askedAt < trueForMs) return asked
    askedAt = now
    asked = databaseTrouble(database)
    return asked
  }
  app.get('/health', { schema: { hide: true } }, async (_request, reply) => {
    const trouble = await ask()
    const failing = troubles?.names ?? []
    const well = trouble === null && failing.length === 0
    return reply.code(well ? 200 : 503).send({
      status: well ? 'ok' : 'unavailable',
      version,
      database: trouble ?? 'ok',
      failingLoops: failing,
    })
  })
}
