import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'
import type { TimeWindow } from './time-window.ts'

export type HeartbeatEventRow = Schema['heartbeatEvents']

/** Newest first, then by id. */
export function listHeartbeatEvents(
  db: Kysely<Schema>,
  checkId: string,
  { from, to }: TimeWindow,
  limit: number,
): Promise<HeartbeatEventRow[]> {
  return db
    .selectFrom('heartbeatEvents')
    .selectAll()
    .where('checkId', '=', checkId)
    .where('at', '>=', from)
    .where('at', '<', to)
    .orderBy('at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute()
}

export function findHeartbeatEvent(
  db: Kysely<Schema>,
  checkId: string,
  id: string,
): Promise<HeartbeatEventRow | undefined> {
  return db
    .selectFrom('heartbeatEvents')
    .selectAll()
    .where('checkId', '=', checkId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** How many events of each state there were in the window. */
export async function countHeartbeatEvents(
  db: Kysely<Schema>,
  checkId: string,
  { from, to }: TimeWindow,
): Promise<ReadonlyMap<HeartbeatEventRow['state'], number>> {
  const rows = await db
    .selectFrom('heartbeatEvents')
    .select(({ fn }) => ['state', fn.countAll<number>().as('events')])
    .where('checkId', '=', checkId)
    .where('at', '>=', from)
    .where('at', '<', to)
    .groupBy('state')
    .execute()
  return new Map(rows.map(({ state, events }) => [state, events]))
}
