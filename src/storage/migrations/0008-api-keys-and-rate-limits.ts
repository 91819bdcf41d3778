import { type Kysely, sql } from 'kysely'
import type { Engine } from '../engine.ts'
import type { Schema } from '../schema.ts'
import { codeType } from './code-type.ts'

const tables = (code: string) => [
  `alter table api_keys add column kind ${code} not null default 'service'`,
  'alter table api_keys add column user_name text',
  'alter table api_keys add column revoked_at bigint',
  // The key leads with the window: addRequests finds its rows by it, deleteRateLimitCountsBefore whole windows.
  `create table rate_limit_counts (
    window_start bigint not null,
    caller ${code} not null,
    requests bigint not null,
    primary key (window_start, caller)
  )`,
]

export async function apiKeysAndRateLimits(db: Kysely<Schema>, engine: Engine): Promise<void> {
  for (const statement of tables(codeType(engine))) await sql.raw(statement).execute(db)
}
