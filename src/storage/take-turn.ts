import { type Kysely, sql } from 'kysely'
import { engineOf } from './engine.ts'
import { liftDeadline } from './guarded-pool.ts'
import type { Schema } from './schema.ts'

/** Any number that no other program on the same server locks. */
const lockId = 7_425_538_001

/**
 * What processes do that start at once, they do one after the other: the turn ends with the transaction. On SQLite the
 * transaction itself is the turn: it began immediate.
 */
export async function takeTurn(db: Kysely<Schema>): Promise<void> {
  if (engineOf(db) === 'sqlite') return
  await sql.raw(liftDeadline).execute(db)
  await sql`select pg_advisory_xact_lock(${sql.lit(lockId)})`.execute(db)
}
