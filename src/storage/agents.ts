import { type Kysely, sql } from 'kysely'
import type { Schema } from './schema.ts'

type AgentRow = Schema['agents']

export interface AgentFilter {
  /** Null: those of data-center locations. */
  readonly accountId: string | null | 'any'
  readonly locations: readonly string[] | 'any'
  /** Epoch milliseconds. */
  readonly seenSince: number
}

/** Notes that an agent was here and what it can do; when it was first seen stays as it is. */
export async function seeAgent(db: Kysely<Schema>, row: AgentRow): Promise<void> {
  const { id: _id, accountId: _accountId, location: _location, firstSeenAt: _firstSeenAt, ...seen } = row
  await db
    .insertInto('agents')
    .values(row)
    .onConflict((conflict) =>
      conflict.expression(sql`id, location, (coalesce(account_id, ''))`).doUpdateSet(seen),
    )
    .execute()
}

/** The longest known first. */
export async function listAgents(db: Kysely<Schema>, filter: AgentFilter): Promise<AgentRow[]> {
  const { accountId, locations, seenSince } = filter
  if (locations !== 'any' && locations.length === 0) return []
  let query = db.selectFrom('agents').selectAll().where('lastSeenAt', '>=', seenSince)
  if (accountId === null) query = query.where('accountId', 'is', null)
  else if (accountId !== 'any') query = query.where('accountId', '=', accountId)
  if (locations !== 'any') query = query.where('location', 'in', locations)
  return query.orderBy('firstSeenAt').orderBy('id').execute()
}

/** Data-center locations that an agent of their own serves: the embedded one does not count. */
export async function servedDataCenterLocations(db: Kysely<Schema>, seenSince: number): Promise<string[]> {
  const rows = await db
    .selectFrom('agents')
    .select('location')
    .distinct()
    .where('accountId', 'is', null)
    .where('embedded', '=', 0)
    .where('lastSeenAt', '>=', seenSince)
    .orderBy('location')
    .execute()
  return rows.map(({ location }) => location)
}

export async function deleteAgentsUnseenSince(db: Kysely<Schema>, before: number): Promise<void> {
  await db.deleteFrom('agents').where('lastSeenAt', '<', before).execute()
}
