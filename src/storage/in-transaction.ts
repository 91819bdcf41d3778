import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

/** All of `work` or nothing of it: in the caller's transaction where there is one, else in its own. */
export function inTransaction<T>(db: Kysely<Schema>, work: (db: Kysely<Schema>) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db) : db.transaction().execute(work)
}
