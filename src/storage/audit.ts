import { type Kysely, sql } from 'kysely'
import type { Schema } from './schema.ts'

/** Slots of one check, of one version of its schedule, that are alike: how many, and how they ended. */
export interface CountedSlots {
  readonly checkId: string
  /** The version's `fromAt`. */
  readonly fromAt: number
  readonly location: string
  /** The place in the round robin that was due; 0 where all run at once, -1 for what is at no tick of the schedule. */
  readonly turn: number
  readonly outcome: Schema['checkRuns']['outcome']
  /** Of missed slots alone. */
  readonly reason: string | null
  readonly slots: number
}

/** Of `dueAt`, epoch milliseconds, both included. */
export interface AuditWindow {
  readonly checkIds: readonly string[]
  readonly fromMs: number
  readonly untilMs: number
}

/** Where the slot is, wherever its retries were made. */
const slotLocation = sql<string>`coalesce(slot_location, location)`

/** Counted where they are: a day of a busy account is millions of rows. What somebody asked for is no slot. */
export async function countSlots(
  db: Kysely<Schema>,
  { checkIds, fromMs, untilMs }: AuditWindow,
): Promise<CountedSlots[]> {
  if (checkIds.length === 0) return []
  const ids = sql.join(checkIds)
  const { rows } = await sql<CountedSlots>`
    with versions as (
      select check_id, from_at, interval_ms, phase_ms, run_parallel, turns,
        lead(from_at) over (partition by check_id order by from_at) as until_at
      from check_schedules where check_id in (${ids})
    ), placed as (
      select r.check_id, v.from_at, coalesce(r.slot_location, r.location) as location, r.outcome,
        case when r.outcome = 'missed' then r.reason end as reason,
        case when (r.due_at - v.phase_ms) % v.interval_ms <> 0 then -1
          when v.run_parallel = 1 then 0
          else ((r.due_at - v.phase_ms) / v.interval_ms + v.phase_ms) % v.turns end as turn
      from check_runs r
      join versions v on v.check_id = r.check_id and r.due_at > v.from_at
        and (v.until_at is null or r.due_at <= v.until_at)
      where r.check_id in (${ids}) and r.due_at between ${fromMs} and ${untilMs} and r.session_id is null
    )
    select check_id, from_at, location, turn, outcome, reason, count(*) as slots
    from placed group by check_id, from_at, location, turn, outcome, reason
  `.execute(db)
  return rows
}

/** Slots that have more than one run. */
export async function findDoubleSlots(
  db: Kysely<Schema>,
  { checkIds, fromMs, untilMs }: AuditWindow,
): Promise<Pick<Schema['checkRuns'], 'checkId' | 'location' | 'dueAt'>[]> {
  if (checkIds.length === 0) return []
  return db
    .selectFrom('checkRuns')
    .select(['checkId', slotLocation.as('location'), 'dueAt'])
    .where('checkId', 'in', checkIds)
    .where('dueAt', '>=', fromMs)
    .where('dueAt', '<=', untilMs)
    .where('sessionId', 'is', null)
    .groupBy(['checkId', slotLocation, 'dueAt'])
    .having(({ fn }) => fn.countAll<number>(), '>', 1)
    .orderBy('checkId')
    .orderBy('dueAt')
    .execute()
}

/** Every row that the schedule planned. */
export function listSlotRuns(
  db: Kysely<Schema>,
  checkId: string,
  { fromMs, untilMs }: Omit<AuditWindow, 'checkIds'>,
): Promise<Pick<Schema['checkRuns'], 'location' | 'dueAt' | 'outcome' | 'reason'>[]> {
  return db
    .selectFrom('checkRuns')
    .select([slotLocation.as('location'), 'dueAt', 'outcome', 'reason'])
    .where('checkId', '=', checkId)
    .where('dueAt', '>=', fromMs)
    .where('dueAt', '<=', untilMs)
    .where('sessionId', 'is', null)
    .execute()
}

/** Ranges of missed slots that begin or end in the window, or hold it. */
export async function listMissedRanges(
  db: Kysely<Schema>,
  { checkIds, fromMs, untilMs }: AuditWindow,
): Promise<Schema['missedSlots'][]> {
  if (checkIds.length === 0) return []
  return db
    .selectFrom('missedSlots')
    .selectAll()
    .where('checkId', 'in', checkIds)
    .where('fromDueAt', '<=', untilMs)
    .where('untilDueAt', '>=', fromMs)
    .execute()
}

/** Up to where each of these checks is planned; those that do not run, or are gone, are left out. */
export async function planEnds(
  db: Kysely<Schema>,
  checkIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (checkIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('checks')
    .select(['id', 'nextDueAt'])
    .where('id', 'in', checkIds)
    .where('nextDueAt', 'is not', null)
    .execute()
  return new Map(rows.flatMap(({ id, nextDueAt }) => (nextDueAt === null ? [] : [[id, nextDueAt]])))
}
