import { type Kysely, sql } from 'kysely'
import type { Engine } from '../engine.ts'
import type { Schema } from '../schema.ts'
import { codeType } from './code-type.ts'

/** A check's figures lie beside each other in SQLite's file, by time: a month of them is a few pages. */
const clustered = (engine: Engine) => (engine === 'sqlite' ? 'without rowid' : '')

const tables = (code: string, engine: Engine) => [
  'alter table check_results add column status_code integer',
  'alter table check_results add column measures text',
  `create table result_rollups (
    check_id ${code} not null references checks (id) on delete cascade,
    span ${code} not null,
    starts_at bigint not null,
    location ${code} not null,
    outcome ${code} not null,
    status_code integer not null,
    results integer not null,
    retries integer not null,
    total text,
    measures text not null,
    primary key (check_id, span, starts_at, location, outcome, status_code)
  ) ${clustered(engine)}`,
  // deleteRollupsBefore
  'create index result_rollups_oldest on result_rollups (starts_at)',
  `create table rollup_progress (
    id integer not null primary key,
    until bigint,
    after_check_id ${code} not null
  )`,
  // The hour of the oldest result: results from before this migration are rolled up, too.
  `insert into rollup_progress (id, until, after_check_id)
    select 1, min(started_at) - min(started_at) % 3600000, '' from check_results`,
  // Refers to no check: results are stored without a lock of their check's row (0001).
  `create table late_results (
    result_id ${code} not null primary key,
    check_id ${code} not null,
    hour_at bigint not null
  )`,
  // lateHours
  'create index late_results_hour on late_results (hour_at, check_id)',
  // deleteMissedSlotsBefore
  'create index missed_slots_oldest on missed_slots (until_due_at)',
]

const weekMs = 7 * 24 * 60 * 60_000
/** The first Monday of the epoch. */
const firstMonday = 4 * 24 * 60 * 60_000

/**
 * Results lie in partitions by the week in which they were due. Those that are there stay where they are: their table
 * becomes the partition of everything before. What has no week yet goes to the last one (storage/result-partitions).
 */
const partitions = (weeksFrom: number) => [
  'alter table check_results rename to check_results_before',
  'alter table check_results_before drop constraint check_results_pkey',
  'alter index check_results_newest rename to check_results_before_newest',
  'alter index check_results_oldest rename to check_results_before_oldest',
  'create table check_results (like check_results_before) partition by range (due_at)',
  // A run has one dueAt, so this is as unique as the id alone (docs/decisions: partitions by when a run was due).
  'alter table check_results add primary key (id, due_at)',
  // As in 0001
  `create index check_results_newest on check_results
    (account_id, check_id, started_at desc, id, result_type, location, has_failures)`,
  `alter table check_results attach partition check_results_before
    for values from (minvalue) to (${weeksFrom})`,
  'create table check_results_rest partition of check_results default',
]

/** The first week whose results have a partition of their own: the one after the last that has results. */
async function firstWeek(db: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{
    last: number | null
  }>`select max(due_at) as last from check_results`.execute(db)
  const last = rows[0]?.last ?? null
  const weekOf = (at: number) => Math.floor((at - firstMonday) / weekMs) * weekMs + firstMonday
  return last === null ? weekOf(Date.now()) : weekOf(Math.max(last, Date.now())) + weekMs
}

export async function rollups(db: Kysely<Schema>, engine: Engine): Promise<void> {
  for (const statement of tables(codeType(engine), engine)) await sql.raw(statement).execute(db)
  if (engine === 'sqlite') return
  for (const statement of partitions(await firstWeek(db))) await sql.raw(statement).execute(db)
}
