import { dataCenterLocations } from '../../contract/locations.ts'
import type { CheckDefinition } from '../../contract/run.ts'
import { definitionOf } from '../../rules/check-definition.ts'
import type { Schema } from '../../storage/schema.ts'
import type { AgentPrincipal } from '../authentication.ts'
import { storedCheck } from '../stored-check.ts'

type CheckRow = Schema['checks']

/** An agent learns only of checks that run where it is. */
export function mayRun(agent: AgentPrincipal, row: CheckRow): boolean {
  const { locations, privateLocations } = storedCheck(row)
  if (agent.accountId !== null) {
    return row.accountId === agent.accountId && (privateLocations ?? []).includes(agent.location)
  }
  const served = agent.embedded
    ? dataCenterLocations
    : dataCenterLocations.filter((id) => id === agent.location)
  return (locations ?? []).some((location) => served.includes(location))
}

export function toDefinition(row: CheckRow): CheckDefinition {
  return definitionOf(storedCheck(row), { checkId: row.id, version: row.version })
}
