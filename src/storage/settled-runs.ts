import type { Kysely } from 'kysely'
import { among } from './among.ts'
import { engineOf } from './engine.ts'
import { lockRows } from './row-locks.ts'
import { runWrites } from './run-writes.ts'
import type { Schema } from './schema.ts'
import { writeRows } from './write-rows.ts'

type RunRow = Schema['checkRuns']

/**
 * Nobody else changes them until the transaction ends; those that do not exist are left out. Locked in the order of checks,
 * as renewing leases and deleting a check do: two that take the same never wait for each other.
 */
export function lockRuns(db: Kysely<Schema>, ids: readonly string[]): Promise<RunRow[]> {
  return db
    .selectFrom('checkRuns')
    .selectAll()
    .where(among(engineOf(db), 'id', ids))
    .orderBy('checkId')
    .orderBy('dueAt')
    .orderBy('id')
    .$call(lockRows(engineOf(db)))
    .execute()
}

/** As they are now, of runs that are locked. */
export async function saveRuns(db: Kysely<Schema>, runs: readonly RunRow[]): Promise<void> {
  await writeRows(db, runWrites.replace, runs)
}
