import type { ExpressionBuilder, Kysely } from 'kysely'
import { batchesOf, deleteInBatches, rowsAStatement, slicesOf } from './batches.ts'
import { fits, fitsNothing, isOpen, type RunFilter } from './claimable-runs.ts'
import { definitionVersion } from './definition-versions.ts'
import { type Engine, engineOf } from './engine.ts'
import { lockFreeRows } from './row-locks.ts'
import { runWrites } from './run-writes.ts'
import type { Schema } from './schema.ts'
import { letNextRun } from './session-runs.ts'
import { writeRows } from './write-rows.ts'

type RunRow = Schema['checkRuns']

export interface Claim extends RunFilter {
  readonly agentId: string
  /** Epoch milliseconds, as all that follow. */
  readonly now: number
  readonly dueBefore: number
  readonly leaseUntil: number
  readonly limit: number
}

/**
 * Writing the same id twice changes nothing. Written in the order of ids: two that plan the same runs the other way
 * round would wait for each other.
 */
export async function enqueueRuns(db: Kysely<Schema>, rows: readonly RunRow[]): Promise<void> {
  const ordered = rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  for await (const batch of slicesOf(ordered, 256)) await writeRows(db, runWrites.keep, batch)
}

/**
 * Leases to one agent, and to no other, runs to be attempted until `dueBefore` that wait or whose lease has ended; the
 * oldest attempt first, in the version that their definitions have at this instant. Belongs in a transaction.
 */
export async function claimRuns(db: Kysely<Schema>, engine: Engine, claim: Claim): Promise<RunRow[]> {
  const { agentId, leaseUntil, now, dueBefore, limit } = claim
  if (fitsNothing(claim)) return []
  const rows = await db
    // Not a plain subquery: PostgreSQL might run that again for each row, and lock more than `limit`.
    .with('claimable', (qb) =>
      qb
        .selectFrom('checkRuns')
        .select('id')
        .where(fits(claim))
        .where('attemptAt', '<=', dueBefore)
        .where((eb) => eb.or([eb('state', '=', 'pending'), eb('leaseUntil', '<=', now)]))
        .orderBy('attemptAt')
        .orderBy('id')
        .limit(limit)
        .$call(lockFreeRows(engine)),
    )
    .updateTable('checkRuns')
    .set((eb) => ({ state: 'leased', agentId, leaseUntil, version: versionToHold(eb) }))
    .where('id', 'in', (eb) => eb.selectFrom('claimable').select('claimable.id'))
    .returningAll()
    .execute()
  return rows.toSorted((a, b) => a.attemptAt - b.attemptAt || (a.id < b.id ? -1 : 1))
}

/** A check that is gone leaves its runs as they were planned: the agent finds no definition. */
function versionToHold(eb: ExpressionBuilder<Schema, 'checkRuns'>) {
  const ofCheck = eb
    .selectFrom('checks')
    .select((checks) => definitionVersion(checks).as('version'))
    .whereRef('checks.id', '=', 'checkRuns.checkId')
  return eb.fn.coalesce(ofCheck, 'checkRuns.version')
}

/** When the earliest waiting run is to be attempted, in epoch milliseconds; null when none waits. */
export async function nextAttemptAt(db: Kysely<Schema>, filter: RunFilter): Promise<number | null> {
  if (fitsNothing(filter)) return null
  const row = await db
    .selectFrom('checkRuns')
    .select('attemptAt')
    .where(fits(filter))
    .where('state', '=', 'pending')
    .orderBy('attemptAt')
    .limit(1)
    .executeTakeFirst()
  return row?.attemptAt ?? null
}

/** Those that do not exist are left out. */
export async function findRuns(db: Kysely<Schema>, ids: readonly string[]): Promise<RunRow[]> {
  const found: RunRow[] = []
  for (const batch of batchesOf(ids)) {
    found.push(...(await db.selectFrom('checkRuns').selectAll().where('id', 'in', batch).execute()))
  }
  return found
}

export interface FinalOutcome {
  readonly outcome: NonNullable<RunRow['outcome']>
  readonly reason: string | null
  /** Epoch milliseconds. */
  readonly at: number
}

/**
 * The final outcome of a run that nobody saw the target of (what was seen: agent-gateway/conclude-runs): false when it has
 * one already, or does not exist.
 */
export async function finishRun(db: Kysely<Schema>, id: string, final: FinalOutcome): Promise<boolean> {
  const { outcome, reason, at } = final
  const finished = await db
    .updateTable('checkRuns')
    .set({ state: 'done', outcome, reason, leaseUntil: null, finishedAt: at })
    .where('id', '=', id)
    .where('state', '<>', 'done')
    .returning('sessionId')
    .executeTakeFirst()
  if (!finished) return false
  if (finished.sessionId !== null) await letNextRun(db, finished.sessionId, at)
  return true
}

/** Epoch milliseconds. */
interface UnclaimedFilter {
  readonly attemptBefore: number
  readonly claimedBefore: number
  readonly limit: number
}

/**
 * Runs that nobody came for although they could be had since before `attemptBefore`: they wait, or the agent that had
 * them is gone and no other followed. And those that agents have again and again since before `claimedBefore`, without a
 * result of theirs. Held until the transaction ends, so that nobody claims one meanwhile.
 */
export function unclaimedRuns(
  db: Kysely<Schema>,
  { attemptBefore, claimedBefore, limit }: UnclaimedFilter,
): Promise<RunRow[]> {
  return db
    .selectFrom('checkRuns')
    .selectAll()
    .where(isOpen)
    .where('attemptAt', '<', attemptBefore)
    .where((eb) =>
      eb.or([
        eb('state', '=', 'pending'),
        eb('leaseUntil', '<', attemptBefore),
        eb('state', '=', 'leased').and('attemptAt', '<', claimedBefore),
      ]),
    )
    .orderBy('attemptAt')
    .orderBy('id')
    .limit(limit)
    .$call(lockFreeRows(engineOf(db)))
    .execute()
}

/** What the schedule planned and nobody began, or what was never to begin. */
export const isNotBegun = (eb: ExpressionBuilder<Schema, 'checkRuns'>) =>
  eb.and([
    eb('sessionId', 'is', null),
    eb.or([
      eb('state', '=', 'pending').and('attempt', '=', 1),
      eb('outcome', '=', 'missed').and('finishedAt', 'is', null),
    ]),
  ])

/** Removes what was planned for after `afterMs` and not begun, or was never to begin. */
export async function dropPlannedRuns(db: Kysely<Schema>, checkId: string, afterMs: number): Promise<void> {
  await db
    .deleteFrom('checkRuns')
    .where('checkId', '=', checkId)
    .where('dueAt', '>', afterMs)
    .where(isNotBegun)
    .execute()
}

/** By when they were due; what is still open stays. Returns how many went. */
export function deleteDoneRunsBefore(db: Kysely<Schema>, before: number): Promise<number> {
  return deleteInBatches(async () => {
    const { numDeletedRows } = await db
      .deleteFrom('checkRuns')
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('checkRuns')
          .select('id')
          .where('dueAt', '<', before)
          .where('state', '=', 'done')
          .orderBy('dueAt')
          .limit(rowsAStatement),
      )
      .executeTakeFirst()
    return Number(numDeletedRows)
  })
}
