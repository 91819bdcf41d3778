import type { Kysely } from 'kysely'
import type { CheckGroup } from '../../contract/resources/check-group.ts'
import type { Clock } from '../../lib/clock.ts'
import { effectiveCheck, locationsOf } from '../../rules/effective-check.ts'
import type { Database } from '../../storage/database.ts'
import { insertMissedSlots } from '../../storage/missed-slots.ts'
import {
  insertFirstSchedules,
  insertSchedule,
  lastScheduleAt,
  lockChecksWithoutSchedule,
} from '../../storage/schedule-history.ts'
import type { Schema } from '../../storage/schema.ts'
import { flagOf } from '../../storage/tables/flag.ts'
import { missedBetween } from '../loops/plan-runs.ts'
import { anyCheckOf, groupsOf } from './stored-check.ts'

type CheckRow = Schema['checks']

/**
 * The instant from which a change of the check counts, epoch ms: never before the change that came before it, though
 * another server's clock made that one. Ask under the lock of the check.
 */
export async function changeInstant(db: Kysely<Schema>, checkId: string, clock: Clock): Promise<number> {
  return Math.max(clock.now(), (await lastScheduleAt(db, checkId)) ?? 0)
}

/**
 * Before a change: slots up to its instant that nobody planned, because no server was up or all were behind, are missed.
 * Their schedule goes with the change.
 */
export async function closeSchedule(db: Kysely<Schema>, row: CheckRow, at: number): Promise<void> {
  const missed = row.nextDueAt === null ? null : missedBetween(row, row.nextDueAt, at)
  if (missed) await insertMissedSlots(db, missed)
}

/** After a change: which slots later than `at` are expected of the check. */
export async function noteSchedule(
  db: Kysely<Schema>,
  row: CheckRow,
  group: CheckGroup | null,
  at: number,
): Promise<void> {
  await insertSchedule(db, toSchedule(row, group, at))
}

function toSchedule(row: CheckRow, group: CheckGroup | null, at: number): Schema['checkSchedules'] {
  const check = effectiveCheck(anyCheckOf(row), group)
  const locations = locationsOf(check)
  return {
    checkId: row.id,
    accountId: row.accountId,
    fromAt: at,
    state: row.nextDueAt === null ? 'inactive' : 'active',
    intervalMs: row.intervalMs,
    phaseMs: row.phaseMs,
    runParallel: flagOf(check.runParallel),
    locations: JSON.stringify(locations),
    turns: Math.max(1, locations.length),
  }
}

/** With the deletion: nothing is expected of it any more, and what was is gone. */
export async function noteDeletion(db: Kysely<Schema>, row: CheckRow, at: number): Promise<void> {
  const { id: checkId, accountId, intervalMs, phaseMs } = row
  const nowhere = { runParallel: flagOf(false), locations: '[]', turns: 1 }
  await insertSchedule(db, {
    checkId,
    accountId,
    fromAt: at,
    state: 'deleted',
    intervalMs,
    phaseMs,
    ...nowhere,
  })
}

const checksATurn = 500

/** Checks of a database that was written before schedules were kept: from where their plan ends, slots are expected. */
export async function noteKnownSchedules(database: Database): Promise<number> {
  for (let [noted, after] = [0, '']; ; ) {
    const found = await database.transaction((db) => noteFirst(db, after))
    const last = found.at(-1)
    if (!last) return noted
    noted += found.length
    after = last.id
  }
}

async function noteFirst(db: Kysely<Schema>, after: string): Promise<CheckRow[]> {
  const found = await lockChecksWithoutSchedule(db, after, checksATurn)
  const groupOf = await groupsOf(db, found)
  const since = ({ nextDueAt, createdAt }: CheckRow) => (nextDueAt === null ? createdAt : nextDueAt - 1)
  await insertFirstSchedules(
    db,
    found.map((row) => toSchedule(row, groupOf(row), since(row))),
  )
  return found
}
