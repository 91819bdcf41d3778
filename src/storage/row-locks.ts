import type { SelectQueryBuilder } from 'kysely'
import type { Engine } from './engine.ts'
import type { Schema } from './schema.ts'

type Select<TB extends keyof Schema, O> = SelectQueryBuilder<Schema, TB, O>

/**
 * Holds the selected rows until the transaction ends; waits for whoever holds one. SQLite has no such clause and needs
 * none: its transactions begin immediate, one at a time.
 */
export function lockRows(engine: Engine) {
  return <TB extends keyof Schema, O>(query: Select<TB, O>): Select<TB, O> =>
    engine === 'postgres' ? query.forNoKeyUpdate() : query
}

/** Holds the selected rows until the transaction ends; passes over those that another transaction holds. */
export function lockFreeRows(engine: Engine) {
  return <TB extends keyof Schema, O>(query: Select<TB, O>): Select<TB, O> =>
    engine === 'postgres' ? query.forNoKeyUpdate().skipLocked() : query
}
