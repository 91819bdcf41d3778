import type { Kysely } from 'kysely'
import { batchesOf, deleteInBatches, rowsAStatement, slicesOf } from './batches.ts'
import { engineOf } from './engine.ts'
import { lockRows } from './row-locks.ts'
import type { Schema } from './schema.ts'
import { containsText } from './text-search.ts'

type SessionRow = Schema['sessions']

export async function insertSessions(db: Kysely<Schema>, rows: readonly SessionRow[]): Promise<void> {
  for await (const batch of slicesOf(rows, 100)) await db.insertInto('sessions').values(batch).execute()
}

export function findSession(
  db: Kysely<Schema>,
  accountId: string,
  kind: SessionRow['kind'],
  id: string,
): Promise<SessionRow | undefined> {
  return ofKind(db, accountId, kind).selectAll().where('id', '=', id).executeTakeFirst()
}

/** As findSession; until the transaction ends nobody else cancels it. */
export function lockSession(
  db: Kysely<Schema>,
  accountId: string,
  kind: SessionRow['kind'],
  id: string,
): Promise<SessionRow | undefined> {
  return ofKind(db, accountId, kind)
    .selectAll()
    .where('id', '=', id)
    .$call(lockRows(engineOf(db)))
    .executeTakeFirst()
}

/** Of any account; those that do not exist are left out. */
export async function findSessionsByIds(db: Kysely<Schema>, ids: readonly string[]): Promise<SessionRow[]> {
  const found: SessionRow[] = []
  for (const batch of batchesOf(ids)) {
    found.push(...(await db.selectFrom('sessions').selectAll().where('id', 'in', batch).execute()))
  }
  return found
}

/** Part of a list of sessions: those that started in the window and whose name holds the text. */
export interface SessionFilter {
  /** Epoch milliseconds, both included. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly search?: string | undefined
}

/** At most `limit` tests behind the cursor, newest first, then by id; from the newest on without one. */
export function listTestSessionsAfter(
  db: Kysely<Schema>,
  accountId: string,
  { from, to, search }: SessionFilter,
  cursor: { readonly startedAt: number; readonly id: string } | null,
  limit: number,
): Promise<SessionRow[]> {
  let query = ofKind(db, accountId, 'test').selectAll()
  if (from !== undefined) query = query.where('startedAt', '>=', from)
  if (to !== undefined) query = query.where('startedAt', '<=', to)
  if (search) query = query.where(containsText('name', search))
  if (cursor) {
    const { startedAt, id } = cursor
    // The first condition follows from the second and lets the index begin at the cursor.
    query = query
      .where('startedAt', '<=', startedAt)
      .where((eb) => eb.or([eb('startedAt', '<', startedAt), eb('id', '>', id)]))
  }
  return query.orderBy('startedAt', 'desc').orderBy('id').limit(limit).execute()
}

export async function cancelSession(db: Kysely<Schema>, id: string, at: number): Promise<void> {
  await db.updateTable('sessions').set({ cancelledAt: at }).where('id', '=', id).execute()
}

/** By when they started. Returns how many went; their runs go by themselves. */
export function deleteSessionsBefore(db: Kysely<Schema>, before: number): Promise<number> {
  return deleteInBatches(async () => {
    const { numDeletedRows } = await db
      .deleteFrom('sessions')
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('sessions')
          .select('id')
          .where('startedAt', '<', before)
          .orderBy('startedAt')
          .limit(rowsAStatement),
      )
      .executeTakeFirst()
    return Number(numDeletedRows)
  })
}

function ofKind(db: Kysely<Schema>, accountId: string, kind: SessionRow['kind']) {
  return db.selectFrom('sessions').where('accountId', '=', accountId).where('kind', '=', kind)
}
