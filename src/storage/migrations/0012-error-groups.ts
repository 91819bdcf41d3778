import { type Kysely, sql } from 'kysely'
import type { Engine } from '../engine.ts'
import type { Schema } from '../schema.ts'
import { codeType } from './code-type.ts'

const tables = (code: string) => [
  `create table error_groups (
    id ${code} not null primary key,
    account_id ${code} not null references accounts (id),
    scope ${code} not null,
    check_id ${code} references checks (id) on delete cascade,
    error_hash ${code} not null,
    raw_error_message text not null,
    cleaned_error_message text not null,
    first_seen bigint not null,
    last_seen bigint not null,
    events bigint not null,
    archived_until_next_event smallint not null,
    archived_for_ever smallint not null,
    environments text not null
  )`,
  // listErrorGroups of an account
  'create index error_groups_newest on error_groups (account_id, scope, last_seen desc, id)',
  // listErrorGroups of a check, dropOldestErrorGroups
  `create index error_groups_of_check on error_groups (check_id, last_seen desc, id)
    where check_id is not null`,
]

export async function errorGroups(db: Kysely<Schema>, engine: Engine): Promise<void> {
  for (const statement of tables(codeType(engine))) await sql.raw(statement).execute(db)
}
