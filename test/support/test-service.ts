import type { InjectOptions, LightMyRequestResponse as Response } from 'fastify'
import type { Clock } from '../../src/lib/clock.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { Sealer } from '../../src/lib/sealing.ts'
import { Secret } from '../../src/lib/secret.ts'
import { type AppOptions, buildApp } from '../../src/server/app.ts'
import { ensureFirstAccount } from '../../src/server/first-account.ts'
import type { App } from '../../src/server/http/app-type.ts'
import { WakeUp } from '../../src/server/wake-up.ts'
import { type Database, openDatabase } from '../../src/storage/database.ts'
import { migrate } from '../../src/storage/migrate.ts'

/** A clock that stands still until it is moved. */
class ManualClock implements Clock {
  #now: number

  constructor(now: number) {
    this.#now = now
  }

  now(): number {
    return this.#now
  }

  monotonicMs(): number {
    return this.#now
  }

  advance(ms: number): void {
    this.#now += ms
  }
}

export const embeddedKey = 'pl_embedded-agent-of-the-tests'

/** One for all tests: to derive its key takes longer than most of them. */
export const testSealer = new Sealer(new Secret('the key that seals secrets in tests'))

export interface TestService {
  readonly app: App
  readonly database: Database
  readonly clock: ManualClock
  readonly sealer: Sealer
  readonly planned: WakeUp
  readonly accountId: string
  readonly apiKey: string
  /** A request with the API key. */
  api(method: InjectOptions['method'], url: string, payload?: InjectOptions['payload']): Promise<Response>
  /** A POST of an agent. */
  agent(path: string, payload: InjectOptions['payload'], key?: string): Promise<Response>
  /** Another account of the same service, and its key. */
  addAccount(): Promise<{ accountId: string; apiKey: string }>
  close(): Promise<void>
}

async function databaseInMemory(): Promise<Database> {
  const database = await openDatabase('sqlite::memory:')
  await migrate(database)
  return database
}

/** The service without a socket, over an SQLite database in memory unless one is given, on the clock of the test. */
export async function startTestService(overrides: Partial<AppOptions> = {}): Promise<TestService> {
  const database = overrides.database ?? (await databaseInMemory())
  const sealer = overrides.sealer ?? testSealer
  const clock = new ManualClock(Date.parse('2026-03-01T12:00:00Z'))
  const planned = new WakeUp()
  const closing = new AbortController()
  const app = await buildApp({
    database,
    clock,
    sealer,
    planned,
    logger: createLogger({ name: 'test', level: 'ERROR', pretty: false }),
    version: '0.0.0',
    embeddedAgentKey: new Secret(embeddedKey),
    rateLimitAMinute: 100_000,
    closing: closing.signal,
    ...overrides,
  })
  const apiKey = 'pk_a-key-that-the-tests-know'
  const { accountId } = await ensureFirstAccount({
    database,
    clock,
    accountId: undefined,
    apiKey: new Secret(apiKey),
  })
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
  return {
    app,
    database,
    clock,
    sealer,
    planned,
    accountId,
    apiKey,
    api: (method = 'GET', url, payload) =>
      app.inject({ method, url, headers: bearer(apiKey), ...(payload !== undefined && { payload }) }),
    agent: (path, payload = {}, key = embeddedKey) =>
      app.inject({ method: 'POST', url: `/agent/v1/${path}`, headers: bearer(key), payload }),
    addAccount: async () => {
      const other = {
        accountId: '99999999-9999-4999-8999-999999999999',
        apiKey: 'pk_a-key-of-the-other-account',
      }
      await ensureFirstAccount({
        database,
        clock,
        accountId: other.accountId,
        apiKey: new Secret(other.apiKey),
      })
      return other
    },
    close: async () => {
      closing.abort()
      await app.close()
      await database.close()
    },
  }
}
