import { CamelCasePlugin, Kysely, PostgresDialect, sql } from 'kysely'
import { Pool, types } from 'pg'
import { AppError } from '../lib/app-error.ts'
import { guardedPool } from './guarded-pool.ts'
import type { Schema } from './schema.ts'

const int8 = types.builtins.INT8
const connectTimeoutMs = 10_000
const probeAfterMs = 10_000
/** A statement or an idle transaction that takes longer holds others up for no good reason: the server ends it. */
const statementTimeoutMs = 30_000
/** A server that ends nothing by itself by then has stopped. */
const answerTimeoutMs = statementTimeoutMs + 5000

/** Instants and counts stay far below 2^53. For this pool alone: others in the process may want them exact. */
const numericTypes: typeof types = {
  ...types,
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === int8 && format !== 'binary' ? Number : types.getTypeParser(oid, format),
}

function createPool(connectionString: string): Pool {
  const pool = new Pool({
    connectionString,
    types: numericTypes,
    application_name: 'picket',
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: probeAfterMs,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
  })
  // An idle connection that breaks leaves the pool by itself; the next query opens another or says what is wrong.
  pool.on('error', () => {})
  return pool
}

/** @throws AppError DATABASE_URL_INVALID, DATABASE_UNREACHABLE */
export async function openPostgres(url: string): Promise<Kysely<Schema>> {
  if (!URL.canParse(url)) {
    throw new AppError(
      'DATABASE_URL_INVALID',
      'The database URL must be postgres://<user>:<password>@<host>:<port>/<database>; other characters of the password are percent-encoded',
      { fatal: true },
    )
  }
  const pool = createPool(url)
  const kysely = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool: guardedPool(pool, answerTimeoutMs) }),
    plugins: [new CamelCasePlugin()],
  })
  try {
    await sql`select 1`.execute(kysely)
    return kysely
  } catch (cause) {
    await pool.end()
    throw new AppError(
      'DATABASE_UNREACHABLE',
      'PostgreSQL cannot be reached or does not let us in: check host, port, user, password and database of the URL',
      { cause },
    )
  }
}
