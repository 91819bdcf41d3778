import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

type MissedSlotsRow = Schema['missedSlots']

/** Writing the same id twice changes nothing. */
export async function insertMissedSlots(db: Kysely<Schema>, row: MissedSlotsRow): Promise<void> {
  await db
    .insertInto('missedSlots')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

/** Oldest first. */
export function listMissedSlots(db: Kysely<Schema>, checkId: string): Promise<MissedSlotsRow[]> {
  return db
    .selectFrom('missedSlots')
    .selectAll()
    .where('checkId', '=', checkId)
    .orderBy('fromDueAt')
    .orderBy('id')
    .execute()
}
