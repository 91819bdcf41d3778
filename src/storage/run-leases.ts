import type { Kysely } from 'kysely'
import { among } from './among.ts'
import { batchesOf } from './batches.ts'
import { isOpen, isWithin, type RunReach } from './claimable-runs.ts'
import { engineOf } from './engine.ts'
import { lockRows } from './row-locks.ts'
import type { Schema } from './schema.ts'

export interface LeaseHolder extends RunReach {
  readonly agentId: string
  readonly runIds: readonly string[]
}

/** Returns the ids of those that the agent still holds. */
export async function renewLeases(
  db: Kysely<Schema>,
  holder: LeaseHolder,
  leaseUntil: number,
): Promise<string[]> {
  const held: string[] = []
  for (const batch of batchesOf(holder.runIds)) {
    const rows = await heldRuns(db, holder, batch).set({ leaseUntil }).returning('id').execute()
    held.push(...rows.map(({ id }) => id))
  }
  return held
}

/** Gives runs back unfinished, to whoever comes next; returns how many of them the agent held. */
export async function releaseRuns(db: Kysely<Schema>, holder: LeaseHolder): Promise<number> {
  let released = 0n
  for (const batch of batchesOf(holder.runIds)) {
    const { numUpdatedRows } = await heldRuns(db, holder, batch)
      .set({ state: 'pending', agentId: null, leaseUntil: null })
      .executeTakeFirst()
    released += numUpdatedRows
  }
  return Number(released)
}

/** As releaseRuns, of all that the agent holds. */
export async function releaseAllRuns(db: Kysely<Schema>, holder: Omit<LeaseHolder, 'runIds'>): Promise<void> {
  if (holder.locations.length === 0) return
  await heldRuns(db, holder).set({ state: 'pending', agentId: null, leaseUntil: null }).execute()
}

/**
 * Locks in the order of checks, as taking in a batch of results does: two that lock the same runs the other way round
 * would wait for each other.
 */
function heldRuns(
  db: Kysely<Schema>,
  holder: Omit<LeaseHolder, 'runIds'>,
  runIds: readonly string[] | null = null,
) {
  return db
    .with('held', (qb) =>
      qb
        .selectFrom('checkRuns')
        .select('id')
        .where(runIds === null ? isOpen : among(engineOf(db), 'id', runIds))
        .where('agentId', '=', holder.agentId)
        .where(isWithin(holder))
        .where('state', '=', 'leased')
        .orderBy('checkId')
        .orderBy('dueAt')
        .orderBy('id')
        .$call(lockRows(engineOf(db))),
    )
    .updateTable('checkRuns')
    .where('id', 'in', (eb) => eb.selectFrom('held').select('held.id'))
}
