import { type Kysely, sql } from 'kysely'
import type { Engine } from '../engine.ts'
import type { Schema } from '../schema.ts'
import { codeType } from './code-type.ts'

const tables = (code: string) => [
  `create table shared_settings (
    account_id ${code} not null primary key references accounts (id),
    version integer not null
  )`,
]

export async function sharedSettings(db: Kysely<Schema>, engine: Engine): Promise<void> {
  for (const statement of tables(codeType(engine))) await sql.raw(statement).execute(db)
}
