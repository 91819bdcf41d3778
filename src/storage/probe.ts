import { sql } from 'kysely'
import type { Database } from './database.ts'
import { unavailable } from './unavailable.ts'

/** Resolves when the database can be read and written. @throws AppError DATABASE_UNAVAILABLE */
export async function probe(database: Database): Promise<void> {
  if (database.engine === 'sqlite') {
    // What it was already, and yet a write to the disk: one without room, or held by another process, says so.
    await database.transaction((db) => sql`pragma user_version = 0`.execute(db))
    return
  }
  const { rows } = await sql<{ readOnly: string }>`
    select current_setting('transaction_read_only') as read_only`.execute(database.kysely)
  if (rows[0]?.readOnly !== 'off') throw unavailable('unwritable', null)
}
