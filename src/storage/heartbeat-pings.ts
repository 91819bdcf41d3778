import type { Kysely } from 'kysely'
import { deleteInBatches, rowsAStatement } from './batches.ts'
import { type HeartbeatEventRow, listHeartbeatEvents } from './heartbeat-events.ts'
import type { Schema } from './schema.ts'
import { rowWrite, writeRows } from './write-rows.ts'

const columns = [
  ...(['id', 'accountId', 'checkId', 'state', 'at', 'source', 'userAgent'] as const),
  ...(['pings', 'durationMs', 'exitCode', 'body'] as const),
]
const eventWrite = {
  ...rowWrite('heartbeatEvents', columns, ['id'], 'keep'),
  // Those of one second with the same outcome are one event: it is of the newest of them.
  onConflict: `on conflict (id) do update set at = excluded.at, source = excluded.source,
    user_agent = excluded.user_agent, duration_ms = excluded.duration_ms,
    pings = heartbeat_events.pings + excluded.pings`,
}

/** One that is there gets the pings of the new one of the same id besides. No id may be given twice. */
export async function addHeartbeatEvents(
  db: Kysely<Schema>,
  rows: readonly HeartbeatEventRow[],
): Promise<void> {
  await writeRows(db, eventWrite, rows)
}

/** The newest event before an instant, of those from `from` on. */
export async function heartbeatEventBefore(
  db: Kysely<Schema>,
  checkId: string,
  { from, before }: { readonly from: number; readonly before: number },
): Promise<HeartbeatEventRow | undefined> {
  return (await listHeartbeatEvents(db, checkId, { from, to: before }, 1))[0]
}

/** Oldest first, at most `limit`. */
export function heartbeatEventsFrom(
  db: Kysely<Schema>,
  checkId: string,
  from: number,
  limit: number,
): Promise<HeartbeatEventRow[]> {
  return db
    .selectFrom('heartbeatEvents')
    .selectAll()
    .where('checkId', '=', checkId)
    .where('at', '>=', from)
    .orderBy('at')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Those of these instants, at most as many as an upload has pings. */
export function heartbeatEventsAt(
  db: Kysely<Schema>,
  checkId: string,
  instants: readonly number[],
): Promise<Pick<HeartbeatEventRow, 'at' | 'state'>[]> {
  return db
    .selectFrom('heartbeatEvents')
    .select(['at', 'state'])
    .where('checkId', '=', checkId)
    .where('at', 'in', instants)
    .execute()
}

export async function deleteHeartbeatEventsFrom(
  db: Kysely<Schema>,
  checkId: string,
  from: number,
): Promise<void> {
  await db.deleteFrom('heartbeatEvents').where('checkId', '=', checkId).where('at', '>=', from).execute()
}

/** Returns how many went. */
export function deleteHeartbeatEventsBefore(db: Kysely<Schema>, before: number): Promise<number> {
  return deleteInBatches(async () => {
    const { numDeletedRows } = await db
      .deleteFrom('heartbeatEvents')
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('heartbeatEvents')
          .select('id')
          .where('at', '<', before)
          .orderBy('at')
          .limit(rowsAStatement),
      )
      .executeTakeFirst()
    return Number(numDeletedRows)
  })
}
