import type { Kysely } from 'kysely'
import { dataCenterLocations } from '../../contract/locations.ts'
import { servedDataCenterLocations } from '../../storage/agents.ts'
import type { RunReach } from '../../storage/claimable-runs.ts'
import type { Schema } from '../../storage/schema.ts'
import type { AgentPrincipal } from '../http/authentication.ts'

/** An agent that has not asked for runs for this long does not count as serving its location. */
export const servingWindowMs = 60_000

/** Everything that the agent's key is good for, now or when an agent elsewhere is gone. */
export function reachOf({ accountId, embedded, location }: AgentPrincipal): RunReach {
  return { accountId, locations: embedded ? dataCenterLocations : [location] }
}

/** Where the runs come from that an agent may have. The embedded agent serves what no other agent serves. */
export async function servedLocations(
  db: Kysely<Schema>,
  agent: AgentPrincipal,
  now: number,
): Promise<readonly string[]> {
  if (!agent.embedded) return [agent.location]
  const served = new Set(await servedDataCenterLocations(db, now - servingWindowMs))
  return dataCenterLocations.filter((location) => !served.has(location))
}
