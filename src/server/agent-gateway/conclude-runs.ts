import { leaseMs } from '../../contract/agent-protocol.ts'
import type { Result } from '../../contract/result.ts'
import type { Schema } from '../../storage/schema.ts'
import { flagOf } from '../../storage/tables/flag.ts'
import { isDataCenter } from '../loops/location-watch.ts'
import { outcomeOf, toResultRow } from './result-row.ts'

type RunRow = Schema['checkRuns']

/** A result and its run, as it was before. */
export interface Settled {
  readonly run: RunRow
  readonly result: Result
}

/** What a batch of results comes to. */
export interface Conclusions {
  /** Those that changed, as they are now. */
  readonly runs: readonly RunRow[]
  readonly rows: readonly Schema['checkResults'][]
  /** The results that gave a run its final outcome, in the order in which they came. */
  readonly finals: readonly Settled[]
}

/** Where a run that was given back for its retry is to be made next, as it is now. */
export type RetryPlace = (run: RunRow) => string

const unseen: readonly RunRow['outcome'][] = ['missed', 'errored']

export interface Reporting {
  /** Who sent them. */
  readonly agentId: string
  readonly now: number
}

/**
 * Folds results into their runs, one after the other. A slot gets one final outcome: what comes for one that has it
 * (another agent's, or this very result sent again) is left out. What was seen of the target outranks that a run was
 * missed: a result that an agent kept through an outage comes after others gave the run up.
 */
export function concludeRuns(
  reported: readonly Settled[],
  reporting: Reporting,
  retryPlace: RetryPlace,
): Conclusions {
  const { now } = reporting
  const runs = new Map<string, RunRow>()
  const rows = new Map<string, Schema['checkResults']>()
  const finals: Settled[] = []
  for (const { run: before, result } of reported) {
    const run = runs.get(before.id) ?? before
    const after =
      result.resultType === 'ATTEMPT'
        ? withAttempt(run, result, reporting, retryPlace)
        : withOutcome(run, result, now)
    if (after === null) continue
    runs.set(run.id, after)
    if (result.conclusion.kind !== 'missed') rows.set(result.id, toResultRow(run, result, now))
    if (result.resultType === 'FINAL') finals.push({ run, result })
  }
  return { runs: [...runs.values()], rows: [...rows.values()], finals }
}

const isSeenToTheEnd = ({ state, outcome }: RunRow) => state === 'done' && outcome !== 'missed'

/** Which slot it is stays known. */
function placedAt(run: RunRow, location: string): RunRow {
  const slotLocation = run.slotLocation ?? run.location
  return {
    ...run,
    location,
    slotLocation: location === slotLocation ? null : slotLocation,
    dataCenter: flagOf(isDataCenter(location)),
  }
}

/**
 * A run never goes back to an earlier attempt. What the agent gave back waits for whoever serves the place of its retry;
 * one whose result was long on its way is not late for that.
 */
function withAttempt(
  run: RunRow,
  result: Result,
  { agentId, now }: Reporting,
  retryPlace: RetryPlace,
): RunRow | null {
  if (isSeenToTheEnd(run)) return null
  const { attempt, retryAt, startedAt } = result
  if (run.state === 'done' || retryAt === null || run.attempt > attempt) return run
  const next = { attempt: attempt + 1, firstStartedAt: run.firstStartedAt ?? startedAt }
  if (!result.retryElsewhere)
    return { ...withAgent(run, result, agentId, retryAt), ...next, attemptAt: retryAt }
  const waiting = { state: 'pending', agentId: null, leaseUntil: null } as const
  return { ...placedAt(run, retryPlace(run)), ...waiting, ...next, attemptAt: Math.max(retryAt, now) }
}

/**
 * The agent makes the next attempt: its lease stays, and a run that nobody has, for it carried that out by itself, is leased
 * to it for as long.
 */
function withAgent(run: RunRow, { location }: Result, agentId: string, retryAt: number): RunRow {
  if (run.state !== 'pending' || run.location !== location) return run
  return { ...run, state: 'leased', agentId, leaseUntil: retryAt + leaseMs }
}

function withOutcome(run: RunRow, { conclusion }: Result, now: number): RunRow | null {
  const { outcome, reason } = outcomeOf(conclusion)
  if (isSeenToTheEnd(run) || (run.state === 'done' && unseen.includes(outcome))) return null
  return { ...run, state: 'done', outcome, reason, leaseUntil: null, finishedAt: now }
}
