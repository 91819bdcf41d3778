import { type Kysely, sql } from 'kysely'
import type { Engine } from '../engine.ts'
import type { Schema } from '../schema.ts'
import { codeType } from './code-type.ts'

/** Small tables: a handful of rows an account, so they have no index beyond what keeps them unique. */
const accountTables = (code: string) => [
  `create table accounts (
    id ${code} not null primary key,
    name text not null,
    runtime_id ${code} not null,
    created_at bigint not null
  )`,
  `create table api_keys (
    id ${code} not null primary key,
    account_id ${code} not null references accounts (id),
    name text not null,
    hash ${code} not null unique,
    masked text not null,
    created_at bigint not null,
    last_used_at bigint
  )`,
  `create table private_locations (
    id ${code} not null primary key,
    account_id ${code} not null references accounts (id),
    name text not null,
    slug_name ${code} not null,
    icon text not null,
    proxy_url text,
    created_at bigint not null,
    updated_at bigint,
    unique (account_id, slug_name)
  )`,
  `create table location_keys (
    id ${code} not null primary key,
    account_id ${code} references accounts (id),
    private_location_id ${code} references private_locations (id) on delete cascade,
    location ${code} not null,
    hash ${code} not null unique,
    masked text not null,
    created_at bigint not null
  )`,
  // listLocationKeys, and the count of insertLocationKey
  'create index location_keys_of_private_location on location_keys (private_location_id)',
  `create table agents (
    id ${code} not null,
    account_id ${code},
    location ${code} not null,
    embedded smallint not null,
    version text not null,
    flavour ${code} not null,
    check_types text not null,
    runtimes text not null,
    platform text not null,
    runtime_version text not null,
    first_seen_at bigint not null,
    last_seen_at bigint not null
  )`,
  // seeAgent. An agent's id is its own claim: it never takes the row of another account or location.
  "create unique index agents_identity on agents (id, location, (coalesce(account_id, '')))",
]

const checkTables = (code: string) => [
  `create table checks (
    id ${code} not null primary key,
    account_id ${code} not null references accounts (id),
    type ${code} not null,
    name text not null,
    activated smallint not null,
    version integer not null,
    definition text not null,
    url text,
    interval_ms bigint not null,
    phase_ms bigint not null,
    next_due_at bigint,
    created_at bigint not null,
    updated_at bigint
  )`,
  // listChecks
  'create index checks_newest on checks (account_id, created_at desc, id)',
  // lockChecksDueBefore
  'create index checks_due on checks (next_due_at) where next_due_at is not null',
  `create table check_tags (
    check_id ${code} not null references checks (id) on delete cascade,
    position integer not null,
    tag text not null,
    primary key (check_id, position)
  )`,
  `create table check_locations (
    check_id ${code} not null references checks (id) on delete cascade,
    location ${code} not null,
    primary key (check_id, location)
  )`,
  // checksUsingPrivateLocation
  'create index check_locations_of_location on check_locations (location)',
]

/**
 * From here on no table refers to checks: each of the many inserts would lock the check's row and wait for whoever plans
 * or deletes it. deleteCheck removes their rows itself.
 */
const runTables = (code: string) => [
  `create table check_runs (
    id ${code} not null primary key,
    account_id ${code} not null,
    check_id ${code} not null,
    check_type ${code} not null,
    version integer not null,
    location ${code} not null,
    data_center smallint not null,
    runtime ${code},
    due_at bigint not null,
    interval_ms bigint not null,
    state ${code} not null,
    attempt integer not null,
    attempt_at bigint not null,
    first_started_at bigint,
    agent_id ${code},
    lease_until bigint,
    outcome ${code},
    reason text,
    created_at bigint not null
  )`,
  // claimRuns, nextAttemptAt, unclaimedRuns, queueMetrics: holds what is open alone, so it stays small
  "create index check_runs_open on check_runs (location, attempt_at) where state <> 'done'",
  // deleteCheck, dropPlannedRuns
  'create index check_runs_of_check on check_runs (check_id, due_at)',
  // deleteDoneRunsBefore
  'create index check_runs_oldest on check_runs (due_at)',
  `create table missed_slots (
    id ${code} not null primary key,
    check_id ${code} not null,
    from_due_at bigint not null,
    until_due_at bigint not null,
    slots integer not null,
    reason text not null
  )`,
  // listMissedSlots, deleteCheck
  'create index missed_slots_of_check on missed_slots (check_id, from_due_at)',
]

const resultTables = (code: string) => [
  `create table check_results (
    id ${code} not null primary key,
    account_id ${code} not null,
    check_id ${code} not null,
    run_id ${code} not null,
    result_type ${code} not null,
    attempt integer not null,
    location ${code} not null,
    due_at bigint not null,
    started_at bigint not null,
    stopped_at bigint not null,
    created_at bigint not null,
    has_failures smallint not null,
    has_errors smallint not null,
    is_degraded smallint not null,
    over_max_response_time smallint not null,
    response_time_ms double precision,
    details text not null
  )`,
  // listResults, listResultsAfter; its last columns let totals be counted without reading the rows themselves
  `create index check_results_newest on check_results
    (account_id, check_id, started_at desc, id, result_type, location, has_failures)`,
  // deleteResultsBefore
  'create index check_results_oldest on check_results (started_at)',
  `create table check_statuses (
    check_id ${code} not null primary key,
    account_id ${code} not null,
    status text not null,
    has_failures smallint not null,
    has_errors smallint not null,
    is_degraded smallint not null,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  // listStatuses
  'create index check_statuses_of_account on check_statuses (account_id)',
]

const telemetryTables = (code: string) => [
  `create table location_metrics (
    account_id ${code},
    location ${code} not null,
    at bigint not null,
    queue_size integer not null,
    oldest_scheduled_check_run_ms bigint not null
  )`,
  // insertLocationMetrics: one sample an instant, whichever server took it; listLocationMetrics
  "create unique index location_metrics_sample on location_metrics ((coalesce(account_id, '')), location, at)",
  // deleteLocationMetricsBefore
  'create index location_metrics_oldest on location_metrics (at)',
  `create table agent_error_reports (
    id ${code} not null primary key,
    account_id ${code},
    location ${code} not null,
    message text not null,
    stack text not null,
    agent_version text not null,
    platform text not null,
    runtime_version text not null,
    received_at bigint not null
  )`,
  // deleteAgentErrorReportsBefore
  'create index agent_error_reports_oldest on agent_error_reports (received_at)',
]

export async function initial(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const code = codeType(engine)
  const groups = [accountTables, checkTables, runTables, resultTables, telemetryTables]
  for (const statement of groups.flatMap((group) => group(code))) await sql.raw(statement).execute(db)
}
