import { type Kysely, sql } from 'kysely'
import type { Engine } from '../engine.ts'
import type { Schema } from '../schema.ts'
import { codeType } from './code-type.ts'

const tables = (code: string) => [
  `create table check_groups (
    id bigint not null primary key,
    account_id ${code} not null references accounts (id),
    name text not null,
    definition text not null,
    created_at bigint not null,
    updated_at bigint
  )`,
  // listGroups
  'create index check_groups_newest on check_groups (account_id, id desc)',
  `create table check_group_tags (
    group_id bigint not null references check_groups (id) on delete cascade,
    position integer not null,
    tag text not null,
    primary key (group_id, position)
  )`,
  'alter table checks add column group_id bigint references check_groups (id)',
  // checksOfGroup, listChecksOfGroup
  'create index checks_of_group on checks (group_id, created_at desc, id) where group_id is not null',
]

export async function checkGroups(db: Kysely<Schema>, engine: Engine): Promise<void> {
  for (const statement of tables(codeType(engine))) await sql.raw(statement).execute(db)
}
