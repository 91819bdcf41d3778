import type { CheckDefinition } from '../../contract/run.ts'
import { definitionOf } from '../../rules/check-definition.ts'
import type { Schema } from '../../storage/schema.ts'
import type { AgentPrincipal } from '../authentication.ts'
import { locationsOf, storedCheck } from '../stored-check.ts'
import { reachOf } from './served-locations.ts'

type CheckRow = Schema['checks']

/** An agent learns only of checks that run where it is. */
export function mayRun(agent: AgentPrincipal, row: CheckRow): boolean {
  const { accountId, locations } = reachOf(agent)
  return (
    (accountId === null || accountId === row.accountId) &&
    locationsOf(storedCheck(row)).some((location) => locations.includes(location))
  )
}

export function toDefinition(row: CheckRow): CheckDefinition {
  return definitionOf(storedCheck(row), { checkId: row.id, version: row.version })
}
