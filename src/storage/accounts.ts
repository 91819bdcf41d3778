import type { Kysely } from 'kysely'
import { engineOf } from './engine.ts'
import { lockRows } from './row-locks.ts'
import type { Schema } from './schema.ts'

type AccountRow = Schema['accounts']

export async function insertAccount(db: Kysely<Schema>, row: AccountRow): Promise<void> {
  await db.insertInto('accounts').values(row).execute()
}

export function findAccount(db: Kysely<Schema>, id: string): Promise<AccountRow | undefined> {
  return db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Oldest first. */
export function listAccounts(db: Kysely<Schema>): Promise<AccountRow[]> {
  return db.selectFrom('accounts').selectAll().orderBy('createdAt').orderBy('id').execute()
}

/** Until the transaction ends, whoever else changes or counts what the account has waits. */
export async function lockAccount(db: Kysely<Schema>, id: string): Promise<void> {
  await db
    .selectFrom('accounts')
    .select('id')
    .where('id', '=', id)
    .$call(lockRows(engineOf(db)))
    .execute()
}
