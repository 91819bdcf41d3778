import type { Kysely } from 'kysely'
import { Result } from '../../contract/result.ts'
import type { Clock } from '../../lib/clock.ts'
import { hashId } from '../../lib/ids.ts'
import { validator } from '../../lib/validate.ts'
import { findRuns } from '../../storage/check-runs.ts'
import type { Database } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'
import type { AgentPrincipal } from '../http/authentication.ts'
import type { WakeUp } from '../wake-up.ts'
import { reachOf } from './served-locations.ts'
import { settleResult } from './settle-result.ts'

export interface TakeOptions {
  readonly database: Database
  readonly clock: Clock
  /** Told when a run ended that somebody may wait for. */
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

const readResult = validator(Result)
/** No retry waits for longer (contract/retry-strategy: maxDurationSeconds). */
const maxRetryDelayMs = 10 * 60_000
/** A clock that runs this far ahead of ours is not believed. */
const maxAheadMs = 10 * 60_000

function sort(records: readonly unknown[], now: number): { candidates: Candidate[]; refused: Refusal[] } {
  const candidates: Candidate[] = []
  const refused: Refusal[] = []
  for (const [index, record] of records.entries()) {
    const read = readResult(record)
    if (read.kind === 'invalid') {
      refused.push({ index, reason: read.faults.map(({ text }) => text).join('; ') })
      continue
    }
    const result = read.value
    const reason = implausible(result, now)
    if (reason === null) candidates.push({ index, result })
    else refused.push({ index, reason })
  }
  return { candidates, refused }
}

function implausible(result: Result, now: number): string | null {
  if (result.id !== hashId(result.runId, result.attempt)) return '"id" is not the id of this run and attempt'
  if (result.stoppedAt < result.startedAt) return '"stoppedAt" is before "startedAt"'
  if (result.stoppedAt > now + maxAheadMs) return '"stoppedAt" lies in the future'
  if ((result.resultType === 'ATTEMPT') !== (result.retryAt !== null))
    return '"retryAt" goes with an ATTEMPT, and only with it'
  if (result.retryAt !== null && result.retryAt - result.stoppedAt > maxRetryDelayMs)
    return '"retryAt" is more than 10 minutes after "stoppedAt"'
  return null
}

/** May this agent speak for this run? */
function isOwn(agent: AgentPrincipal, run: Schema['checkRuns']): boolean {
  const { accountId, locations } = reachOf(agent)
  return locations.includes(run.location) && (accountId === null || run.accountId === accountId)
}

interface Settled {
  readonly refused: Refusal[]
  /** Whether somebody may wait for one of the runs. */
  readonly ofSessions: boolean
}

async function settleAll(
  db: Kysely<Schema>,
  agent: AgentPrincipal,
  candidates: readonly Candidate[],
  now: number,
): Promise<Settled> {
  const rows = await findRuns(
    db,
    candidates.map(({ result }) => result.runId),
  )
  const runs = new Map(rows.map((run) => [run.id, run]))
  const checkOf = ({ result }: Candidate) => runs.get(result.runId)?.checkId ?? ''
  const refused: Refusal[] = []
  // One order for all servers, so that two batches never wait for each other's rows.
  for (const { index, result } of candidates.toSorted((a, b) => (checkOf(a) < checkOf(b) ? -1 : 1))) {
    const run = runs.get(result.runId)
    // The check was deleted meanwhile: there is nothing left to say about it.
    if (!run) continue
    if (!isOwn(agent, run)) refused.push({ index, reason: "the run is not of this key's location" })
    else if ((run.definitionId ?? run.checkId) !== result.checkId)
      refused.push({ index, reason: '"checkId" is not the check of this run' })
    else await settleResult(db, run, result, now)
  }
  return { refused, ofSessions: rows.some(({ sessionId }) => sessionId !== null) }
}

/**
 * Takes in what an agent reports: all of a batch in one transaction, each record once. What can never be taken in is
 * refused by its index, so that it does not come again. @throws when storage cannot take it now: the agent keeps it.
 */
export async function takeResults(
  options: TakeOptions,
  agent: AgentPrincipal,
  records: readonly unknown[],
): Promise<{ accepted: number; refused: Refusal[] }> {
  const now = options.clock.now()
  const { candidates, refused } = sort(records, now)
  const settled = await options.database.transaction((db) => settleAll(db, agent, candidates, now))
  if (settled.ofSessions) options.planned.signal()
  const all = [...refused, ...settled.refused]
  return { accepted: records.length - all.length, refused: all }
}
