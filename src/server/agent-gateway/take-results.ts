import type { Kysely } from 'kysely'
import { Type } from 'typebox'
import type { ResultsRequest } from '../../contract/agent-protocol.ts'
import { Result } from '../../contract/result.ts'
import { resultIdOf } from '../../contract/run-ids.ts'
import { Uuid } from '../../contract/schema.ts'
import type { Clock } from '../../lib/clock.ts'
import { validator } from '../../lib/validate.ts'
import { attemptLocations } from '../../storage/attempts-of-runs.ts'
import { finishRun } from '../../storage/check-runs.ts'
import type { Database } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'
import { lockRuns } from '../../storage/settled-runs.ts'
import type { AgentPrincipal } from '../http/authentication.ts'
import type { WakeUp } from '../wake-up.ts'
import { adoptSlots } from './adopt-slots.ts'
import type { Reporting, Settled } from './conclude-runs.ts'
import { reachOf } from './served-locations.ts'
import { settleResults } from './settle-results.ts'

export interface TakeOptions {
  readonly database: Database
  readonly clock: Clock
  /** Told when a run ended that somebody may wait for, or was given back. */
  readonly planned: WakeUp
}

interface Refusal {
  readonly index: number
  readonly reason: string
}

interface Candidate {
  readonly index: number
  readonly result: Result
}

type RunRow = Schema['checkRuns']

const readResult = validator(Result)
/** No retry waits for longer (contract/retry-strategy: maxDurationSeconds). */
const maxRetryDelayMs = 10 * 60_000
/** A clock that runs this far ahead of ours is not believed. */
const maxAheadMs = 10 * 60_000

interface Sorted {
  readonly candidates: Candidate[]
  readonly refused: Refusal[]
  /** Runs whose final result cannot be read. */
  readonly unreadable: string[]
}

const FinalOfRun = Type.Object({ runId: Uuid, resultType: Type.Literal('FINAL') })
const readFinal = validator(FinalOfRun)

function sort(records: readonly unknown[], now: number): Sorted {
  const candidates: Candidate[] = []
  const refused: Refusal[] = []
  const unreadable: string[] = []
  for (const [index, record] of records.entries()) {
    const read = readResult(record)
    if (read.kind === 'invalid') {
      refused.push({ index, reason: read.faults.map(({ text }) => text).join('; ') })
      const final = readFinal(record)
      if (final.kind === 'valid') unreadable.push(final.value.runId)
      continue
    }
    const result = read.value
    const reason = implausible(result, now)
    if (reason === null) candidates.push({ index, result })
    else refused.push({ index, reason })
  }
  return { candidates, refused, unreadable }
}

function implausible(result: Result, now: number): string | null {
  if (result.id !== resultIdOf(result.runId, result.attempt))
    return '"id" is not the id of this run and attempt'
  if (result.stoppedAt < result.startedAt) return '"stoppedAt" is before "startedAt"'
  if (result.stoppedAt > now + maxAheadMs) return '"stoppedAt" lies in the future'
  if ((result.resultType === 'ATTEMPT') !== (result.retryAt !== null))
    return '"retryAt" goes with an ATTEMPT, and only with it'
  if (result.retryAt !== null && result.retryAt - result.stoppedAt > maxRetryDelayMs)
    return '"retryAt" is more than 10 minutes after "stoppedAt"'
  if (result.retryElsewhere && result.resultType !== 'ATTEMPT')
    return '"retryElsewhere" goes with an ATTEMPT, and only with it'
  return null
}

/** May this agent speak for this run, which is or was at this location? */
function isOwn(agent: AgentPrincipal, run: RunRow, location = run.location): boolean {
  const { accountId, locations } = reachOf(agent)
  return locations.includes(location) && (accountId === null || run.accountId === accountId)
}

type IsPlaceOf = (run: RunRow, location: string) => boolean

/**
 * Tells where each run is, and where its attempts until now were made: what was given back for its retry is reported from
 * there once more when an answer was lost.
 */
async function readPlaces(
  db: Kysely<Schema>,
  runs: ReadonlyMap<string, RunRow>,
  candidates: readonly Candidate[],
): Promise<IsPlaceOf> {
  const strays = candidates.flatMap(({ result }) => {
    const run = runs.get(result.runId)
    return run && run.location !== result.location ? [run] : []
  })
  const attempted = await attemptLocations(db, [...new Set(strays)])
  return ({ id, location }, place) => place === location || attempted.get(id)?.has(place) === true
}

interface Taken {
  readonly refused: Refusal[]
  /** Whether somebody may wait for one of the runs, or for what was given back. */
  readonly awaited: boolean
}

async function takeAll(
  db: Kysely<Schema>,
  agent: AgentPrincipal,
  { candidates, unreadable }: Pick<Sorted, 'candidates' | 'unreadable'>,
  reporting: Reporting,
): Promise<Taken> {
  const planned = await lockRuns(db, [...new Set(candidates.map(({ result }) => result.runId))])
  const runs = new Map(planned.map((run) => [run.id, run]))
  const unplanned = candidates.flatMap(({ result }) => (runs.has(result.runId) ? [] : [result]))
  for (const run of await adoptSlots(db, unplanned, reporting.now)) runs.set(run.id, run)
  const isPlaceOf = await readPlaces(db, runs, candidates)
  const refused: Refusal[] = []
  const reported: Settled[] = []
  for (const { index, result } of candidates) {
    const run = runs.get(result.runId)
    // The check was deleted meanwhile, or never had this slot: there is nothing to say about it.
    if (!run) continue
    const reason = notOf(agent, run, result, isPlaceOf)
    if (reason === null) reported.push({ run, result })
    else refused.push({ index, reason })
  }
  await settleResults(db, reported, reporting)
  await endRefused(db, agent, unreadable, reporting)
  const ofSessions = planned.some(({ sessionId }) => sessionId !== null)
  return { refused, awaited: ofSessions || reported.some(({ result }) => result.retryElsewhere) }
}

/** Their agent has done with them, and will not say more: they end now, and not when everybody has given them up. */
async function endRefused(
  db: Kysely<Schema>,
  agent: AgentPrincipal,
  runIds: readonly string[],
  { agentId, now }: Reporting,
): Promise<void> {
  if (runIds.length === 0) return
  const runs = await lockRuns(db, [...new Set(runIds)])
  const left = runs.filter((run) => isOwn(agent, run) && run.state === 'leased' && run.agentId === agentId)
  for (const { id } of left)
    await finishRun(db, id, { outcome: 'errored', reason: 'result-refused', at: now })
}

function notOf(agent: AgentPrincipal, run: RunRow, result: Result, isPlaceOf: IsPlaceOf): string | null {
  const { location } = result
  if (!isOwn(agent, run, location)) return "the run is not of this key's location"
  if (!isPlaceOf(run, location)) return '"location" is not where the run was given'
  return (run.definitionId ?? run.checkId) === result.checkId
    ? null
    : '"checkId" is not the check of this run'
}

/**
 * Takes in what an agent reports: all of a batch in one transaction, each record once. What can never be taken in is
 * refused by its index, so that it does not come again. @throws when storage cannot take it now: the agent keeps it.
 */
export async function takeResults(
  options: TakeOptions,
  agent: AgentPrincipal,
  { agentId, results: records }: Pick<ResultsRequest, 'agentId'> & { readonly results: readonly unknown[] },
): Promise<{ accepted: number; refused: Refusal[] }> {
  const now = options.clock.now()
  const { refused, ...sorted } = sort(records, now)
  const taken = await options.database.transaction((db) => takeAll(db, agent, sorted, { agentId, now }))
  if (taken.awaited) options.planned.signal()
  const all = [...refused, ...taken.refused]
  return { accepted: records.length - all.length, refused: all }
}
