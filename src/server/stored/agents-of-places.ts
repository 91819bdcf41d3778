import type { Kysely } from 'kysely'
import type { Able } from '../../rules/missing-capability.ts'
import { listAgents } from '../../storage/agents.ts'
import type { Schema } from '../../storage/schema.ts'
import { servingWindowMs } from '../agent-gateway/served-locations.ts'
import { isDataCenter, unavailableAfterMs } from '../loops/location-watch.ts'

type AgentRow = Schema['agents']

/** Finds what the agents can do that may have runs of an account's checks at a location: none where nobody serves it. */
export async function agentsOfPlaces(
  db: Kysely<Schema>,
  now: number,
): Promise<(accountId: string, location: string) => readonly Able[]> {
  const seenSince = now - unavailableAfterMs
  const agents = await listAgents(db, { accountId: 'any', locations: 'any', seenSince })
  const embedded = agents.filter((agent) => agent.embedded === 1)
  const others = agents.filter((agent) => agent.embedded === 0)
  const ofPlace = Map.groupBy(others, (agent) => placeKey(agent.accountId, agent.location))
  return (accountId, location) => {
    if (!isDataCenter(location)) return (ofPlace.get(placeKey(accountId, location)) ?? []).map(toAble)
    const own = ofPlace.get(placeKey(null, location)) ?? []
    const isServed = own.some((agent) => agent.lastSeenAt >= now - servingWindowMs)
    return [...own, ...(isServed ? [] : embedded)].map(toAble)
  }
}

const placeKey = (accountId: string | null, location: string) => `${accountId ?? ''}/${location}`

/** The columns hold what a validated claim said, and nothing else. */
const toAble = ({ checkTypes, runtimes }: AgentRow): Able => ({
  checkTypes: JSON.parse(checkTypes) as string[],
  runtimes: JSON.parse(runtimes) as string[],
})
