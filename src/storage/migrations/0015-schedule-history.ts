import { type Kysely, sql } from 'kysely'
import type { Engine } from '../engine.ts'
import type { Schema } from '../schema.ts'
import { codeType } from './code-type.ts'

/** None of them refers to checks: what is said of a check here outlives it, or is written while its row is held. */
const tables = (code: string) => [
  `create table check_schedules (
    check_id ${code} not null,
    account_id ${code} not null,
    from_at bigint not null,
    state ${code} not null,
    interval_ms bigint not null,
    phase_ms bigint not null,
    run_parallel smallint not null,
    locations text not null,
    turns integer not null,
    primary key (check_id, from_at)
  )`,
  // listScheduledChecks
  'create index check_schedules_of_account on check_schedules (account_id, check_id)',
  `create table overdue_checks (
    check_id ${code} not null primary key,
    account_id ${code} not null,
    since_at bigint not null,
    noticed_at bigint not null
  )`,
  // listOverdueChecks
  'create index overdue_checks_of_account on overdue_checks (account_id)',
  `create table ill_locations (
    account_id ${code},
    location ${code} not null,
    reason text not null,
    since_at bigint not null
  )`,
  // insertIllLocation: said by one of several servers
  "create unique index ill_locations_place on ill_locations ((coalesce(account_id, '')), location)",
]

export async function scheduleHistory(db: Kysely<Schema>, engine: Engine): Promise<void> {
  for (const statement of tables(codeType(engine))) await sql.raw(statement).execute(db)
}
