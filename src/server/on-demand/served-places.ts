import type { Kysely } from 'kysely'
import { listAgents } from '../../storage/agents.ts'
import type { Schema } from '../../storage/schema.ts'
import { isDataCenter, unavailableAfterMs } from '../loops/location-watch.ts'

export type IsServed = (location: string) => boolean

interface At {
  readonly now: number
  /** When the service began: its own absence is not held against agents. */
  readonly startedAt: number
}

/** Whether an agent was lately at a location of the account (semantics §5): nothing is queued where none was. */
export async function servedPlaces(
  db: Kysely<Schema>,
  accountId: string,
  { now, startedAt }: At,
): Promise<IsServed> {
  if (now - startedAt < unavailableAfterMs) return () => true
  const agents = await listAgents(db, {
    accountId: 'any',
    locations: 'any',
    seenSince: now - unavailableAfterMs,
  })
  const embedded = agents.some((agent) => agent.embedded === 1)
  const served = new Set(
    agents
      .filter((agent) => agent.accountId === (isDataCenter(agent.location) ? null : accountId))
      .map(({ location }) => location),
  )
  return (location) => served.has(location) || (embedded && isDataCenter(location))
}
