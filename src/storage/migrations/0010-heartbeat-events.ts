import { type Kysely, sql } from 'kysely'
import type { Engine } from '../engine.ts'
import type { Schema } from '../schema.ts'
import { codeType } from './code-type.ts'

const tables = (code: string) => [
  `create table heartbeat_events (
    id ${code} not null primary key,
    account_id ${code} not null,
    check_id ${code} not null,
    state ${code} not null,
    at bigint not null,
    source text,
    user_agent text
  )`,
  // listHeartbeatEvents, countHeartbeatEvents, deleteCheck
  'create index heartbeat_events_newest on heartbeat_events (check_id, at desc, id, state)',
]

export async function heartbeatEvents(db: Kysely<Schema>, engine: Engine): Promise<void> {
  for (const statement of tables(codeType(engine))) await sql.raw(statement).execute(db)
}
