import type { Kysely } from 'kysely'
import { AppError } from '../lib/app-error.ts'
import type { Engine } from './engine.ts'
import { openPostgres } from './postgres.ts'
import type { Schema } from './schema.ts'
import { openSqlite } from './sqlite.ts'
import { unavailable } from './unavailable.ts'

export interface Database {
  readonly engine: Engine
  readonly kysely: Kysely<Schema>
  /**
   * All of `work` or nothing of it. It may run again from its beginning, when PostgreSQL ended it in favour of another
   * transaction. Within it only the given `db` may be used: on SQLite `kysely` waits for the transaction to end.
   */
  transaction<T>(work: (db: Kysely<Schema>) => Promise<T>): Promise<T>
  close(): Promise<void>
}

const sqlitePrefix = 'sqlite:'

/**
 * `sqlite:<path>` or `postgres://…`.
 * @throws AppError DATABASE_URL_INVALID, DATABASE_UNREACHABLE
 */
export async function openDatabase(url: string): Promise<Database> {
  if (/^postgres(ql)?:\/\//.test(url)) return toDatabase('postgres', await openPostgres(url))
  const path = url.startsWith(sqlitePrefix) ? url.slice(sqlitePrefix.length) : ''
  if (path !== '') return toDatabase('sqlite', openSqlite(path))
  throw new AppError(
    'DATABASE_URL_INVALID',
    'The database URL must be sqlite:<path> or postgres://<user>:<password>@<host>:<port>/<database>',
    { fatal: true },
  )
}

function toDatabase(engine: Engine, kysely: Kysely<Schema>): Database {
  return {
    engine,
    kysely,
    transaction: (work) => transact(kysely, work),
    close: () => kysely.destroy(),
  }
}

const maxTries = 5
/** serialization_failure and deadlock_detected: the transaction was rolled back and is fine to be run again. */
const conflicts = new Set(['40001', '40P01'])

async function transact<T>(kysely: Kysely<Schema>, work: (db: Kysely<Schema>) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await kysely.transaction().execute(work)
    } catch (error) {
      if (!isConflict(error)) throw error
      if (tries === maxTries) throw unavailable('busy', error)
    }
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof Error && 'code' in error && conflicts.has(String(error.code))
}
