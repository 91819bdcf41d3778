import { sql } from 'kysely'
import type { Database } from './database.ts'

/**
 * Takes out of the database's files what changed rows of private_locations held before, which otherwise stays there
 * until it happens to be written over. Not in a transaction.
 */
export async function wipeReplacedRows({ engine, kysely }: Database): Promise<void> {
  if (engine === 'sqlite') await sql`pragma wal_checkpoint(truncate)`.execute(kysely)
  // A plain vacuum may leave the bytes of a row where they were; the table is small enough to be written anew.
  else await sql`vacuum full private_locations`.execute(kysely)
}
