import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Engine } from './engine.ts'

/**
 * Whether a column of texts holds one of these, bound as a single value: one statement for every count of them, where `in`
 * makes, compiles and prepares another for each.
 */
export function among(engine: Engine, column: string, values: readonly string[]): RawBuilder<SqlBool> {
  return engine === 'postgres'
    ? sql<SqlBool>`${sql.ref(column)} = any(${[...values]}::text[])`
    : sql<SqlBool>`${sql.ref(column)} in (select value from json_each(${JSON.stringify(values)}))`
}
