import type { Kysely } from 'kysely'
import { among } from './among.ts'
import { engineOf } from './engine.ts'
import { lockFreeRows, lockRows } from './row-locks.ts'
import type { Schema } from './schema.ts'
import { rowWrite, writeRows } from './write-rows.ts'

export type HeartbeatRow = Schema['heartbeats']

/** Undefined for a check of another type. Until the transaction ends nobody else changes it. */
export function lockHeartbeat(db: Kysely<Schema>, checkId: string): Promise<HeartbeatRow | undefined> {
  return db
    .selectFrom('heartbeats')
    .selectAll()
    .where('checkId', '=', checkId)
    .$call(lockRows(engineOf(db)))
    .executeTakeFirst()
}

/**
 * Those that these tokens are of. Until the transaction ends nobody else changes one; all who lock several do so in the
 * order of their checks.
 */
export function lockHeartbeatsOfTokens(
  db: Kysely<Schema>,
  tokens: readonly string[],
): Promise<HeartbeatRow[]> {
  return db
    .selectFrom('heartbeats')
    .selectAll()
    .where(among(engineOf(db), 'token', tokens))
    .orderBy('checkId')
    .$call(lockRows(engineOf(db)))
    .execute()
}

/** Those of these checks that are run. */
export async function runHeartbeatsAmong(
  db: Kysely<Schema>,
  checkIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('checks')
    .select('id')
    .where(among(engineOf(db), 'id', checkIds))
    .where('nextDueAt', 'is not', null)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** The longest due first; what another transaction holds is left to it. */
export function lockHeartbeatsDueBefore(
  db: Kysely<Schema>,
  before: number,
  limit: number,
): Promise<HeartbeatRow[]> {
  return db
    .selectFrom('heartbeats')
    .selectAll()
    .where('deadlineAt', '<', before)
    .orderBy('deadlineAt')
    .orderBy('checkId')
    .limit(limit)
    .$call(lockFreeRows(engineOf(db)))
    .execute()
}

/** Null when nothing is expected of any. */
export async function firstHeartbeatDeadline(db: Kysely<Schema>): Promise<number | null> {
  const row = await db
    .selectFrom('heartbeats')
    .select('deadlineAt')
    .where('deadlineAt', 'is not', null)
    .orderBy('deadlineAt')
    .orderBy('checkId')
    .limit(1)
    .executeTakeFirst()
  return row?.deadlineAt ?? null
}

/** Starts the timer of one that no ping has started. */
export async function startTimer(db: Kysely<Schema>, checkId: string, at: number): Promise<void> {
  await db
    .updateTable('heartbeats')
    .set({ anchorAt: at, restartedAt: at })
    .where('checkId', '=', checkId)
    .where('active', '=', 1)
    .where('anchorAt', 'is', null)
    .execute()
}

/** Their deadlines are looked at, each at period and grace after what it counts from, or at once where that has passed. */
export async function expectPingsOf(db: Kysely<Schema>, checkIds: readonly string[]): Promise<void> {
  await db
    .updateTable('heartbeats')
    .set((eb) => ({ deadlineAt: eb('anchorAt', '+', eb('periodMs', '+', eb.ref('graceMs'))) }))
    .where(among(engineOf(db), 'checkId', checkIds))
    .where('active', '=', 1)
    .where('anchorAt', 'is not', null)
    .execute()
}

const columns = [
  ...(['checkId', 'accountId', 'token', 'active', 'periodMs', 'graceMs'] as const),
  ...(['anchorAt', 'failing', 'restartedAt', 'startedAt', 'deadlineAt'] as const),
]
const heartbeatWrite = rowWrite('heartbeats', columns, ['checkId'], 'replace')

/** As they are after this, whether they were there or not; each check once. */
export async function saveHeartbeats(db: Kysely<Schema>, rows: readonly HeartbeatRow[]): Promise<void> {
  await writeRows(db, heartbeatWrite, rows)
}
