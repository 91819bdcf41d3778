import { orderedId } from '../../lib/ids.ts'
import { locationsOf } from '../../rules/effective-check.ts'
import { placement } from '../../rules/placement.ts'
import type { Schema } from '../../storage/schema.ts'
import { flagOf } from '../../storage/tables/flag.ts'
import { isDataCenter } from '../loops/location-watch.ts'
import { scriptRuntime } from '../loops/plan-runs.ts'
import type { SelectedCheck } from './select-checks.ts'
import type { IsServed } from './served-places.ts'

type RunRow = Schema['checkRuns']

/** Nobody comes for a run for as long as this, or later: it is missed then (semantics §5). */
const patienceMs = 6 * 60_000

export interface SessionRunInput {
  readonly sessionId: string
  /** Epoch milliseconds. */
  readonly now: number
  readonly isServed: IsServed
  /** By what agents know the definition, where it is not the check's own. */
  readonly definitionId?: string
  /** Where it waits for others to end first: its place among those that do. */
  readonly heldAs?: number
}

/** Where a check runs when somebody asks for it: all over in parallel, else where its round robin is (semantics §5). */
export function placesOf({ row, check }: SelectedCheck, now: number): readonly string[] {
  return placement(row, now, locationsOf(check), check.runParallel)
}

/**
 * A run that is due at once, and that maintenance does not stop (semantics §8). Where nobody could come for it, it is
 * missed from the beginning. One session runs a check at a location once.
 */
export function sessionRun(
  { row, check, group }: SelectedCheck,
  location: string,
  input: SessionRunInput,
): RunRow {
  const { sessionId, now, heldAs, definitionId = null } = input
  const served = input.isServed(location)
  const open = heldAs === undefined ? 'pending' : 'held'
  return {
    id: orderedId(now, sessionId, row.id, location),
    accountId: row.accountId,
    checkId: row.id,
    checkType: row.type,
    version: row.version,
    location,
    slotLocation: null,
    dataCenter: flagOf(isDataCenter(location)),
    runtime: scriptRuntime(check, group),
    dueAt: now,
    intervalMs: patienceMs,
    state: served ? open : 'done',
    attempt: 1,
    attemptAt: now + (heldAs ?? 0),
    firstStartedAt: null,
    agentId: null,
    leaseUntil: null,
    outcome: served ? null : 'missed',
    reason: served ? null : 'location-unavailable',
    createdAt: now,
    sessionId,
    definitionId,
    finishedAt: served ? null : now,
  }
}
