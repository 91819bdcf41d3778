import { setImmediate } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import {
  addSlots,
  auditSlots,
  isExpectedAt,
  mergeCounts,
  noSlots,
  type Slot,
  type SlotCounts,
  type Span,
  versionsIn,
} from '../../rules/audit.ts'
import {
  type CountedSlots,
  countSlots,
  findDoubleSlots,
  listMissedRanges,
  listSlotRuns,
  planEnds,
} from '../../storage/audit.ts'
import type { Schema } from '../../storage/schema.ts'
import { type ExpectedCheck, expectedChecks, expectedOf, isDeleted, readChecks } from './expected-checks.ts'

export interface AuditInput extends Span {
  /** Null: all accounts. */
  readonly accountId: string | null
}

export interface NamedSlot extends Slot {
  readonly checkId: string
}

/** What became of every slot that was expected in a span. */
export interface AuditReport extends Span {
  readonly counts: SlotCounts
  checks: number
  /** Slots of checks that were deleted since: the ledger went with them. */
  ofDeletedChecks: number
  /** Runs that the schedule does not expect: planned, and begun before a change of the check came. */
  beyond: number
  /** Slots with more than one run. */
  doubles: number
  /** The first of them by name. */
  readonly namedGaps: NamedSlot[]
  readonly namedDoubles: NamedSlot[]
}

const mostNamed = 100
/** A statement looks at about so many rows: SQLite works on the event loop. */
const slotsAStatement = 5000

/** All of it: no slot without an outcome or a reason for it, and none with two. */
export const isSound = ({ counts, doubles }: AuditReport): boolean => counts.gaps === 0 && doubles === 0

/**
 * Compares the ledger with what the history of schedules expects. What was planned is counted in SQL; slots are looked at
 * one by one only where the count differs or one is there twice, or where a range of them was missed. Memory stays bounded whatever the span.
 */
export async function audit(
  db: Kysely<Schema>,
  { accountId, fromMs, untilMs }: AuditInput,
): Promise<AuditReport> {
  const report: AuditReport = {
    fromMs,
    untilMs,
    counts: noSlots(),
    checks: 0,
    ofDeletedChecks: 0,
    beyond: 0,
    doubles: 0,
    namedGaps: [],
    namedDoubles: [],
  }
  for await (const checks of expectedChecks(db, accountId)) {
    const gone = checks.filter(isDeleted)
    report.ofDeletedChecks += gone.reduce((sum, check) => sum + expectedOf(check, report), 0)
    await auditChecks(
      db,
      checks.filter((check) => !isDeleted(check)),
      report,
    )
  }
  return report
}

async function auditChecks(
  db: Kysely<Schema>,
  checks: readonly ExpectedCheck[],
  report: AuditReport,
): Promise<void> {
  report.checks += checks.length
  const expected = checks.reduce((sum, check) => sum + expectedOf(check, report), 0)
  const pieceMs = Math.ceil(
    (report.untilMs - report.fromMs + 1) / Math.ceil((expected + 1) / slotsAStatement),
  )
  for (let fromMs = report.fromMs; fromMs <= report.untilMs; fromMs += pieceMs) {
    await auditPiece(db, checks, { fromMs, untilMs: Math.min(report.untilMs, fromMs + pieceMs - 1) }, report)
    await setImmediate()
  }
}

async function auditPiece(
  db: Kysely<Schema>,
  checks: readonly ExpectedCheck[],
  piece: Span,
  report: AuditReport,
): Promise<void> {
  const window = { checkIds: checks.map(({ checkId }) => checkId), ...piece }
  // Before what was planned up to there is counted: what is planned meanwhile is no gap.
  const ends = await planEnds(db, window.checkIds)
  const missed = Map.groupBy(await listMissedRanges(db, window), ({ checkId }) => checkId)
  const counted = Map.groupBy(await countSlots(db, window), ({ checkId }) => checkId)
  await setImmediate()
  const doubles = await findDoubleSlots(db, window)
  for (const [index, slot] of doubles.entries()) name(report.namedDoubles, report.doubles + index + 1, slot)
  report.doubles += doubles.length
  const doubled = new Set(doubles.map(({ checkId }) => checkId))
  for (const check of checks) {
    const ranges = missed.get(check.checkId) ?? []
    const { counts, beyond } = countExpected(check, counted.get(check.checkId) ?? [])
    report.beyond += beyond
    counts.expected = expectedOf(check, piece)
    const asExpected = slotsIn(counts) === counts.expected && !doubled.has(check.checkId)
    if (asExpected && ranges.length === 0) mergeCounts(report.counts, counts)
    else await auditOneByOne(db, check, { piece, ranges, nextDueAt: ends.get(check.checkId) ?? null }, report)
  }
}

const slotsIn = ({ passed, degraded, failed, errored, missed, open }: SlotCounts): number =>
  passed + degraded + failed + errored + open + [...missed.values()].reduce((sum, n) => sum + n, 0)

function countExpected({ versions }: ExpectedCheck, counted: readonly CountedSlots[]) {
  const counts = noSlots()
  let beyond = 0
  for (const group of counted) {
    const version = versions.find(({ fromMs }) => fromMs === group.fromAt)
    if (version && isExpectedAt(version, group.turn, group.location)) addSlots(counts, group, group.slots)
    else beyond += group.slots
  }
  return { counts, beyond }
}

interface Circumstances {
  readonly piece: Span
  readonly ranges: readonly Schema['missedSlots'][]
  readonly nextDueAt: number | null
}

async function auditOneByOne(
  db: Kysely<Schema>,
  { checkId, versions }: ExpectedCheck,
  { piece, ranges, nextDueAt }: Circumstances,
  report: AuditReport,
): Promise<void> {
  const counts = noSlots()
  const runs = await listSlotRuns(db, checkId, piece)
  const missed = ranges.map(({ fromDueAt, untilDueAt, reason }) => ({
    fromMs: fromDueAt,
    untilMs: untilDueAt,
    reason,
  }))
  const gaps = auditSlots(versionsIn(versions, piece), { runs, missed, nextDueAt }, counts)
  const [asItIs] = gaps.length > 0 ? await readChecks(db, [checkId]) : []
  if (asItIs && isDeleted(asItIs)) {
    report.ofDeletedChecks += counts.expected
    return
  }
  const before = report.counts.gaps
  mergeCounts(report.counts, counts)
  for (const [index, gap] of gaps.entries()) name(report.namedGaps, before + index + 1, { checkId, ...gap })
}

function name(named: NamedSlot[], nth: number, { checkId, location, dueAt }: NamedSlot): void {
  if (nth <= mostNamed) named.push({ checkId, location, dueAt })
}
