import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import { DatabaseError, type Pool, type PoolClient } from 'pg'
import { unavailable } from './unavailable.ts'

type Why = Parameters<typeof unavailable>[0]

/** In a transaction: it may take as long as it takes, on both sides of the connection. */
export const liftDeadline = 'set local statement_timeout = 0'

/** SQLSTATEs, and classes of them, that pass by themselves or by an operator's hand, whatever was asked. */
const troubles: Readonly<Record<string, Why>> = {
  '08': 'away',
  53: 'busy',
  53100: 'full',
  '57P': 'away',
  57014: 'slow',
  25006: 'unwritable',
  '25P03': 'slow',
  58030: 'unwritable',
}

/** What the server says of itself; anything else that a client throws is a broken or silent connection. */
function asTrouble(error: unknown): Error {
  if (!(error instanceof DatabaseError)) return unavailable('away', error)
  const state = error.code ?? ''
  const why = troubles[state] ?? troubles[state.slice(0, 3)] ?? troubles[state.slice(0, 2)]
  return why === undefined ? error : unavailable(why, error)
}

/**
 * The pool as Kysely uses it. A server that says nothing for `answerTimeoutMs` is given up, and a connection in
 * trouble is thrown away: the next one may reach the server that took its place.
 */
export function guardedPool(pool: Pool, answerTimeoutMs: number): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => {
      try {
        return new GuardedClient(await pool.connect(), answerTimeoutMs)
      } catch (error) {
        throw asTrouble(error)
      }
    },
  }
}

class GuardedClient implements PostgresPoolClient {
  readonly #client: PoolClient
  readonly #answerTimeoutMs: number
  #mayTakeLong = false
  #broken: Error | null = null

  /** Nobody else listens while a connection is in use, and an error that nobody hears ends the process. */
  readonly #onBroken = (error: unknown): void => {
    this.#broken ??= asTrouble(error)
  }

  constructor(client: PoolClient, answerTimeoutMs: number) {
    this.#client = client
    this.#answerTimeoutMs = answerTimeoutMs
    client.on('error', this.#onBroken)
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  query<R>(
    sql: string | PostgresCursor<R>,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
    if (typeof sql !== 'string') throw new TypeError('rows are not streamed: read them in pages')
    return this.#query<R>(sql, parameters)
  }

  release(destroy = false): void {
    this.#client.off('error', this.#onBroken)
    this.#client.release(destroy || this.#broken !== null)
  }

  async #query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    // What follows a silent server's last statement would only wait behind it.
    if (this.#broken !== null) throw this.#broken
    if (sql === liftDeadline) this.#mayTakeLong = true
    try {
      // Kysely describes in its own words what this very library answers.
      return (await this.#answer(sql, parameters)) as PostgresQueryResult<R>
    } catch (error) {
      const trouble = asTrouble(error)
      if (trouble !== error) this.#broken = trouble
      throw trouble
    }
  }

  async #answer(sql: string, parameters: readonly unknown[]): Promise<unknown> {
    const answer = this.#client.query(sql, [...parameters])
    if (this.#mayTakeLong) return await answer
    const { promise: silence, reject } = Promise.withResolvers<never>()
    const giveUp = () => reject(new Error(`no answer within ${this.#answerTimeoutMs} ms`))
    const timer = setTimeout(giveUp, this.#answerTimeoutMs)
    try {
      return await Promise.race([answer, silence])
    } finally {
      clearTimeout(timer)
    }
  }
}
