import type { AnyCheck } from '../../contract/checks/any-check.ts'
import type { scriptFields } from '../../contract/checks/check-fields.ts'
import type { CheckGroup } from '../../contract/resources/check-group.ts'
import { runIdOf } from '../../contract/run-ids.ts'
import { runtimeIds } from '../../contract/runtime-ids.ts'
import { hashId } from '../../lib/ids.ts'
import { effectiveCheck, locationsOf } from '../../rules/effective-check.ts'
import { placement } from '../../rules/placement.ts'
import { dueBetween, firstDueAfter, slotsBetween } from '../../rules/schedule.ts'
import type { Schema } from '../../storage/schema.ts'
import { flagOf } from '../../storage/tables/flag.ts'
import { anyCheckOf } from '../stored/stored-check.ts'
import type { IsUnderMaintenance } from './maintenance.ts'

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
  /** True where scheduled runs are skipped (semantics §8). */
  readonly isUnderMaintenance: IsUnderMaintenance
}

const maxSlotsAPlan = 100

function hasScript(settings: Pick<AnyCheck, keyof typeof scriptFields>): boolean {
  const { setupSnippetId, tearDownSnippetId, localSetupScript, localTearDownScript } = settings
  const snippets = [setupSnippetId, tearDownSnippetId].some((id) => typeof id === 'number')
  return snippets || [localSetupScript, localTearDownScript].some((script) => script?.trim())
}

/** The runtime that the scripts of a check and its group need; null when it has none: then any agent of its type can run it. */
export function scriptRuntime(check: AnyCheck, group: CheckGroup | null): string | null {
  const scripted = [check, group].some((one) => one !== null && hasScript(one))
  return scripted ? (check.runtimeId ?? runtimeIds[0]) : null
}

interface PlannedSlot {
  readonly runtime: string | null
  readonly location: string
  readonly dueAt: number
  /** Why it is missed before anybody could run it; null when it is to be run. */
  readonly missed: 'maintenance' | 'location-unavailable' | null
}

function toRun(row: CheckRow, { runtime, location, dueAt, missed }: PlannedSlot, input: PlanInput): RunRow {
  return {
    id: runIdOf(row.id, location, dueAt),
    accountId: row.accountId,
    checkId: row.id,
    checkType: row.type,
    version: row.version,
    location,
    slotLocation: null,
    dataCenter: flagOf(input.isDataCenter(location)),
    runtime,
    dueAt,
    intervalMs: row.intervalMs,
    state: missed ? 'done' : 'pending',
    attempt: 1,
    attemptAt: dueAt,
    firstStartedAt: null,
    agentId: null,
    leaseUntil: null,
    outcome: missed && 'missed',
    reason: missed,
    createdAt: input.now,
    sessionId: null,
    definitionId: null,
    finishedAt: null,
  }
}

/** The runs of one check from where its plan ended; slots more than an interval old are missed, never run late. */
export function planRuns(row: CheckRow, group: CheckGroup | null, input: PlanInput): Plan {
  const check = effectiveCheck(anyCheckOf(row), group)
  const runtime = scriptRuntime(check, group)
  const locations = locationsOf(check)
  const from = row.nextDueAt ?? input.now
  const oldest = Math.max(from, input.now - row.intervalMs)
  const due = dueBetween(row, oldest, input.untilMs, maxSlotsAPlan)
  const tags = new Set([...check.tags, ...(group?.tags ?? [])])
  const runs = due.flatMap((dueAt) => {
    const skipped = input.isUnderMaintenance(row.accountId, tags, dueAt)
    return placement(row, dueAt, locations, check.runParallel).map((location) => {
      const unserved = input.isServed(row.accountId, location) ? null : 'location-unavailable'
      return toRun(row, { runtime, location, dueAt, missed: skipped ? 'maintenance' : unserved }, input)
    })
  })
  return {
    runs,
    missed: missedBetween(row, from, oldest - 1),
    nextDueAt: firstDueAfter(row, due.at(-1) ?? oldest - 1),
  }
}

/** The slots of the check from `fromDueAt` to `untilDueAt`, both included, as missed; null when there are none. */
export function missedBetween(
  row: CheckRow,
  fromDueAt: number,
  untilDueAt: number,
): Schema['missedSlots'] | null {
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
