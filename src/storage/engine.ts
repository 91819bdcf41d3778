import { type Kysely, PostgresAdapter } from 'kysely'
import type { Schema } from './schema.ts'

export type Engine = 'sqlite' | 'postgres'

/** The engine behind a connection or transaction. */
export function engineOf(db: Kysely<Schema>): Engine {
  return db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite'
}
