import type { Kysely } from 'kysely'
import { retryLocation } from '../../rules/retry-elsewhere.ts'
import { listAgents } from '../../storage/agents.ts'
import type { Schema } from '../../storage/schema.ts'
import { isDataCenter } from '../loops/location-watch.ts'
import type { RetryPlace, Settled } from './conclude-runs.ts'
import { effectiveChecks } from './effective-checks.ts'
import { servingWindowMs } from './served-locations.ts'

type RunRow = Schema['checkRuns']

type Agent = Pick<Schema['agents'], 'accountId' | 'location' | 'embedded'> & {
  readonly checkTypes: readonly string[]
  readonly runtimes: readonly string[]
}

/**
 * Where each run that was given back for its retry is to be made next. A location counts as served when an agent that can
 * carry the run out asked for runs within the last minute: a retry is not to wait for one that may never come.
 */
export async function retryPlaces(
  db: Kysely<Schema>,
  reported: readonly Settled[],
  now: number,
): Promise<RetryPlace> {
  const givenBack = reported.flatMap(({ run, result }) => (result.retryElsewhere ? [run] : []))
  if (givenBack.length === 0) return ({ location }) => location
  const checks = await effectiveChecks(db, givenBack)
  const agents = await servingAgents(db, now)
  return (run) => {
    const check = checks.get(run.checkId)
    // Of a test its session says where it runs.
    if (!check || run.definitionId !== null) return run.location
    return retryLocation(check, run.location, (location) => isServed(agents, run, location))
  }
}

async function servingAgents(db: Kysely<Schema>, now: number): Promise<Agent[]> {
  const seenSince = now - servingWindowMs
  const rows = await listAgents(db, { accountId: 'any', locations: 'any', seenSince })
  // Lists that AgentsSeen wrote, and nothing else did.
  const listOf = (text: string) => JSON.parse(text) as string[]
  return rows.map((row) => ({
    ...row,
    checkTypes: listOf(row.checkTypes),
    runtimes: listOf(row.runtimes),
  }))
}

/** The embedded agent has the data-center locations that no other agent serves. */
function isServed(agents: readonly Agent[], run: RunRow, location: string): boolean {
  const accountId = isDataCenter(location) ? null : run.accountId
  const own = agents.filter(
    (agent) => agent.embedded === 0 && agent.location === location && agent.accountId === accountId,
  )
  const serving = own.length > 0 ? own : agents.filter(({ embedded }) => embedded === 1 && accountId === null)
  return serving.some((agent) => canCarryOut(agent, run))
}

function canCarryOut({ checkTypes, runtimes }: Agent, { checkType, runtime }: RunRow): boolean {
  return checkTypes.includes(checkType) && (runtime === null || runtimes.includes(runtime))
}
