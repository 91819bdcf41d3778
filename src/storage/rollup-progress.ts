import type { Kysely } from 'kysely'
import { hourOf } from '../rules/rollup-time.ts'
import { engineOf } from './engine.ts'
import { lockFreeRows } from './row-locks.ts'
import type { Schema } from './schema.ts'

export interface RollupProgress {
  /** Hours before this one are rolled up; null when there was nothing to roll up so far. */
  readonly until: number | null
  /** Of the hour `until`, checks up to this id are. */
  readonly afterCheckId: string
}

/** All hours before this one are rolled up; null when none is. */
export async function readRolledUntil(db: Kysely<Schema>): Promise<number | null> {
  const row = await db.selectFrom('rollupProgress').select('until').executeTakeFirst()
  return row?.until ?? null
}

/** For whoever rolls up, until the transaction ends; undefined while somebody else does. */
export function lockProgress(db: Kysely<Schema>): Promise<RollupProgress | undefined> {
  return db
    .selectFrom('rollupProgress')
    .select(['until', 'afterCheckId'])
    .$call(lockFreeRows(engineOf(db)))
    .executeTakeFirst()
}

export async function saveProgress(db: Kysely<Schema>, progress: RollupProgress): Promise<void> {
  await db.updateTable('rollupProgress').set(progress).execute()
}

/** Start of the hour of the first result that is stored; null when none is. */
export async function firstResultHour(db: Kysely<Schema>): Promise<number | null> {
  const { first } = await db
    .selectFrom('checkResults')
    .select(({ fn }) => fn.min('startedAt').as('first'))
    .executeTakeFirstOrThrow()
  return first === null ? null : hourOf(first)
}

interface CheckOfAccount {
  readonly id: string
  readonly accountId: string
}

/** By id, those behind `afterId`; until the transaction ends none of them is deleted. */
export function holdChecks(db: Kysely<Schema>, afterId: string, limit: number): Promise<CheckOfAccount[]> {
  return db
    .selectFrom('checks')
    .select(['id', 'accountId'])
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .$if(engineOf(db) === 'postgres', (query) => query.forKeyShare())
    .execute()
}

/** As holdChecks, by their ids. */
export function holdChecksByIds(db: Kysely<Schema>, ids: readonly string[]): Promise<CheckOfAccount[]> {
  return db
    .selectFrom('checks')
    .select(['id', 'accountId'])
    .where('id', 'in', ids)
    .orderBy('id')
    .$if(engineOf(db) === 'postgres', (query) => query.forKeyShare())
    .execute()
}

/** The oldest hour first. */
export function listLateResults(db: Kysely<Schema>, limit: number): Promise<Schema['lateResults'][]> {
  return db.selectFrom('lateResults').selectAll().orderBy('hourAt').orderBy('checkId').limit(limit).execute()
}

export async function deleteLateResults(db: Kysely<Schema>, resultIds: readonly string[]): Promise<void> {
  await db.deleteFrom('lateResults').where('resultId', 'in', resultIds).execute()
}
