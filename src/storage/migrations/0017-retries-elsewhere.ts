import { type Kysely, sql } from 'kysely'
import type { Engine } from '../engine.ts'
import type { Schema } from '../schema.ts'
import { codeType } from './code-type.ts'

export async function retriesElsewhere(db: Kysely<Schema>, engine: Engine): Promise<void> {
  await sql.raw(`alter table check_runs add column slot_location ${codeType(engine)}`).execute(db)
}
