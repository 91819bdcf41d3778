import type { ApiCheck } from '../../contract/checks/api/check.ts'
import { runtimeIds } from '../../contract/runtime-ids.ts'
import { hashId } from '../../lib/ids.ts'
import { placement } from '../../rules/placement.ts'
import { dueBetween, firstDueAfter, slotsBetween } from '../../rules/schedule.ts'
import type { Schema } from '../../storage/schema.ts'
import { locationsOf, storedCheck } from '../stored-check.ts'

type CheckRow = Schema['checks']
type RunRow = Schema['checkRuns']

export interface Plan {
  readonly runs: readonly RunRow[]
  /** Slots that came and went while no server was up. */
  readonly missed: Schema['missedSlots'] | null
  readonly nextDueAt: number
}

export interface PlanInput {
  readonly now: number
  /** Slots due up to here are planned. */
  readonly untilMs: number
  /** False for a location that nobody serves (semantics §5). */
  readonly isServed: (accountId: string, location: string) => boolean
  readonly isDataCenter: (location: string) => boolean
}

const maxSlotsAPlan = 100

/** The runtime that a check's scripts need; null when it has none: then any agent of its type can run it. */
function scriptRuntime(check: ApiCheck): string | null {
  const scripted = [check.localSetupScript, check.localTearDownScript].some((script) => script?.trim())
  return scripted ? (check.runtimeId ?? runtimeIds[0]) : null
}

function toRun(row: CheckRow, check: ApiCheck, location: string, dueAt: number, input: PlanInput): RunRow {
  const served = input.isServed(row.accountId, location)
  return {
    id: hashId(row.id, location, dueAt),
    accountId: row.accountId,
    checkId: row.id,
    checkType: row.type,
    version: row.version,
    location,
    dataCenter: input.isDataCenter(location) ? 1 : 0,
    runtime: scriptRuntime(check),
    dueAt,
    intervalMs: row.intervalMs,
    state: served ? 'pending' : 'done',
    attempt: 1,
    attemptAt: dueAt,
    firstStartedAt: null,
    agentId: null,
    leaseUntil: null,
    outcome: served ? null : 'missed',
    reason: served ? null : 'location-unavailable',
    createdAt: input.now,
  }
}

/** The runs of one check from where its plan ended; slots more than an interval old are missed, never run late. */
export function planRuns(row: CheckRow, input: PlanInput): Plan {
  const check = storedCheck(row)
  const locations = locationsOf(check)
  const from = row.nextDueAt ?? input.now
  const oldest = Math.max(from, input.now - row.intervalMs)
  const due = dueBetween(row, oldest, input.untilMs, maxSlotsAPlan)
  const runs = due.flatMap((dueAt) =>
    placement(row, dueAt, locations, check.runParallel).map((location) =>
      toRun(row, check, location, dueAt, input),
    ),
  )
  return {
    runs,
    missed: missedBetween(row, from, oldest - 1),
    nextDueAt: firstDueAfter(row, due.at(-1) ?? oldest - 1),
  }
}

function missedBetween(row: CheckRow, fromDueAt: number, untilDueAt: number): Schema['missedSlots'] | null {
  const slots = untilDueAt < fromDueAt ? 0 : slotsBetween(row, fromDueAt, untilDueAt)
  if (slots === 0) return null
  return {
    id: hashId(row.id, fromDueAt),
    checkId: row.id,
    fromDueAt,
    untilDueAt,
    slots,
    reason: 'service-down',
  }
}
