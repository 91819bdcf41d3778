import type { Kysely } from 'kysely'
import { among } from './among.ts'
import { engineOf } from './engine.ts'
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

interface CountedHeartbeatEvents extends Pick<HeartbeatEventRow, 'checkId' | 'state'> {
  readonly events: number
}

/** How many events of each state each of these checks had in the window. */
export function countHeartbeatEvents(
  db: Kysely<Schema>,
  checkIds: readonly string[],
  { from, to }: TimeWindow,
): Promise<CountedHeartbeatEvents[]> {
  return db
    .selectFrom('heartbeatEvents')
    .select(({ fn }) => ['checkId', 'state', fn.countAll<number>().as('events')])
    .where(among(engineOf(db), 'checkId', checkIds))
    .where('at', '>=', from)
    .where('at', '<', to)
    .groupBy(['checkId', 'state'])
    .execute()
}
