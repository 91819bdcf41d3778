import { type Kysely, sql } from 'kysely'
import type { Engine } from '../engine.ts'
import type { Schema } from '../schema.ts'
import { codeType } from './code-type.ts'

const tables = (code: string) => [
  `create table sessions (
    id ${code} not null primary key,
    account_id ${code} not null references accounts (id),
    kind ${code} not null,
    check_id ${code} references checks (id) on delete cascade,
    name text not null,
    run_source ${code},
    definition text not null,
    started_at bigint not null,
    cancelled_at bigint
  )`,
  // listTestSessionsAfter
  'create index sessions_newest on sessions (account_id, kind, started_at desc, id)',
  // deleteSessionsBefore
  'create index sessions_oldest on sessions (started_at)',
  // what goes with a check
  'create index sessions_of_check on sessions (check_id) where check_id is not null',
  `create table triggers (
    id bigint not null primary key,
    account_id ${code} not null references accounts (id),
    check_id ${code} unique references checks (id) on delete cascade,
    group_id bigint unique references check_groups (id) on delete cascade,
    token ${code} not null unique,
    created_at bigint not null,
    called_at bigint,
    updated_at bigint
  )`,
  `alter table check_runs add column session_id ${code}`,
  `alter table check_runs add column definition_id ${code}`,
  'alter table check_runs add column finished_at bigint',
  // listRunsOfSession, letNextRun; empty but for what was asked for by somebody
  'create index check_runs_of_session on check_runs (session_id) where session_id is not null',
  // letStalledRuns
  "create index check_runs_held on check_runs (session_id) where state = 'held'",
  // findRunsOfDefinitions
  'create index check_runs_of_definition on check_runs (definition_id) where definition_id is not null',
]

export async function sessions(db: Kysely<Schema>, engine: Engine): Promise<void> {
  for (const statement of tables(codeType(engine))) await sql.raw(statement).execute(db)
}
