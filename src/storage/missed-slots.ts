import type { Kysely } from 'kysely'
import { deleteInBatches, rowsAStatement } from './batches.ts'
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

/** By the last of their slots. Returns how many rows went. */
export function deleteMissedSlotsBefore(db: Kysely<Schema>, before: number): Promise<number> {
  return deleteInBatches(async () => {
    const { numDeletedRows } = await db
      .deleteFrom('missedSlots')
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('missedSlots')
          .select('id')
          .where('untilDueAt', '<', before)
          .orderBy('untilDueAt')
          .limit(rowsAStatement),
      )
      .executeTakeFirst()
    return Number(numDeletedRows)
  })
}
