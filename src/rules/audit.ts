import { placement } from './placement.ts'
import { dueBetween, type Schedule, slotsBetween } from './schedule.ts'

/** When a check is to run, for slots later than `fromMs` and up to the `fromMs` of the version after it. */
export interface ScheduleVersion extends Schedule {
  readonly fromMs: number
  readonly state: 'active' | 'inactive' | 'deleted'
  readonly runParallel: boolean
  readonly locations: readonly string[]
}

/** Epoch milliseconds, both included. */
export interface Span {
  readonly fromMs: number
  readonly untilMs: number
}

/** Part of a span in which one version holds. */
export interface VersionSpan extends Span {
  readonly version: ScheduleVersion
}

export interface Slot {
  readonly location: string
  readonly dueAt: number
}

/** A slot's row in the ledger. */
export interface LedgerRun extends Slot {
  readonly outcome: 'passed' | 'degraded' | 'failed' | 'missed' | 'errored' | null
  readonly reason: string | null
}

interface MissedSpan extends Span {
  readonly reason: string
}

/** Of slots that were expected, how many ended how. */
export interface SlotCounts {
  expected: number
  passed: number
  degraded: number
  failed: number
  errored: number
  /** By reason. */
  readonly missed: Map<string, number>
  /** Their run waits, is under way, or waits for its retry. */
  open: number
  /** The planner has not come to them: no server is up, or all are behind. */
  unplanned: number
  /** Nothing says what became of them. */
  gaps: number
}

export const noSlots = (): SlotCounts => ({
  expected: 0,
  passed: 0,
  degraded: 0,
  failed: 0,
  errored: 0,
  missed: new Map(),
  open: 0,
  unplanned: 0,
  gaps: 0,
})

/** The versions that hold in a span, oldest first, as `versions` are. */
export function versionsIn(versions: readonly ScheduleVersion[], { fromMs, untilMs }: Span): VersionSpan[] {
  return versions.flatMap((version, index) => {
    const next = versions[index + 1]
    const from = Math.max(fromMs, version.fromMs + 1)
    const until = Math.min(untilMs, next?.fromMs ?? untilMs)
    return from <= until ? [{ version, fromMs: from, untilMs: until }] : []
  })
}

/** How many slots are expected. */
export function expectedSlots({ version, fromMs, untilMs }: VersionSpan): number {
  if (version.state !== 'active') return 0
  const { locations, runParallel } = version
  const places = runParallel ? new Set(locations).size : Math.min(1, locations.length)
  return places === 0 ? 0 : places * slotsBetween(version, fromMs, untilMs)
}

/** Whether a version has the slots that fall on this turn of its round robin at this location (storage/audit counts by them). */
export function isExpectedAt(version: ScheduleVersion, turn: number, location: string): boolean {
  if (version.state !== 'active' || turn < 0) return false
  return version.runParallel ? version.locations.includes(location) : version.locations[turn] === location
}

function slotsOf({ version, fromMs, untilMs }: VersionSpan): Slot[] {
  if (version.state !== 'active') return []
  const dueAts = dueBetween(version, fromMs, untilMs, slotsBetween(version, fromMs, untilMs))
  return dueAts.flatMap((dueAt) => {
    const places = new Set(placement(version, dueAt, version.locations, version.runParallel))
    return [...places].map((location) => ({ location, dueAt }))
  })
}

/** Whether the versions, oldest first, have this slot. */
export function isExpected(versions: readonly ScheduleVersion[], { location, dueAt }: Slot): boolean {
  const spans = versionsIn(versions, { fromMs: dueAt, untilMs: dueAt })
  return spans.flatMap(slotsOf).some((slot) => slot.location === location)
}

/** Counts so many slots as ended, or still open, in one way. */
export function addSlots(
  counts: SlotCounts,
  { outcome, reason }: Pick<LedgerRun, 'outcome' | 'reason'>,
  n: number,
): void {
  if (outcome === null) counts.open += n
  else if (outcome !== 'missed') counts[outcome] += n
  else counts.missed.set(reason ?? '', (counts.missed.get(reason ?? '') ?? 0) + n)
}

export interface Evidence {
  readonly runs: readonly LedgerRun[]
  readonly missed: readonly MissedSpan[]
  /** Every slot before it was planned; null while the check does not run. */
  readonly nextDueAt: number | null
}

const keyOf = ({ location, dueAt }: Slot) => `${dueAt} ${location}`

/**
 * What became of each slot that was expected: its run's outcome, or that it was missed with others, or that the planner is
 * to come. What was seen of a slot outranks that it was missed. Returns the slots of which nothing is known.
 */
export function auditSlots(spans: readonly VersionSpan[], evidence: Evidence, counts: SlotCounts): Slot[] {
  const runs = new Map(evidence.runs.map((run) => [keyOf(run), run]))
  const slots = spans.flatMap(slotsOf)
  counts.expected += slots.length
  const gaps = slots.filter((slot) => !isExplained(slot, runs.get(keyOf(slot)), evidence, counts))
  counts.gaps += gaps.length
  return gaps
}

function isExplained(
  slot: Slot,
  run: LedgerRun | undefined,
  { missed, nextDueAt }: Evidence,
  counts: SlotCounts,
): boolean {
  const together = missed.find(({ fromMs, untilMs }) => fromMs <= slot.dueAt && slot.dueAt <= untilMs)
  if (run) addSlots(counts, run, 1)
  else if (together) addSlots(counts, { outcome: 'missed', reason: together.reason }, 1)
  else if (nextDueAt !== null && slot.dueAt >= nextDueAt) counts.unplanned += 1
  else return false
  return true
}

/** Adds what another part of the ledger counted. */
export function mergeCounts(into: SlotCounts, { missed, ...numbers }: SlotCounts): void {
  for (const key of [
    'expected',
    'passed',
    'degraded',
    'failed',
    'errored',
    'open',
    'unplanned',
    'gaps',
  ] as const)
    into[key] += numbers[key]
  for (const [reason, n] of missed) addSlots(into, { outcome: 'missed', reason }, n)
}
