import type { Kysely } from 'kysely'
import { engineOf } from './engine.ts'
import { lockRows } from './row-locks.ts'
import type { Schema } from './schema.ts'

const beatId = 1
/** A service that starts again and again is down all the while. */
const samePauseMs = 60_000

/** When any server was last alive; null when none ever was. */
export async function findBeat(db: Kysely<Schema>): Promise<number | null> {
  const row = await db.selectFrom('serviceBeats').select('at').where('id', '=', beatId).executeTakeFirst()
  return row?.at ?? null
}

/** As findBeat; other servers wait for the transaction to end. */
export async function lockBeat(db: Kysely<Schema>): Promise<number | null> {
  const row = await db
    .selectFrom('serviceBeats')
    .selectAll()
    .where('id', '=', beatId)
    .$call(lockRows(engineOf(db)))
    .executeTakeFirst()
  return row?.at ?? null
}

export async function saveBeat(db: Kysely<Schema>, at: number): Promise<void> {
  await db
    .insertInto('serviceBeats')
    .values({ id: beatId, at })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ at }))
    .execute()
}

/** One that begins shortly after another ended goes on with it. */
export async function addDowntime(db: Kysely<Schema>, from: number, to: number): Promise<void> {
  const last = await db
    .selectFrom('serviceDowntimes')
    .selectAll()
    .orderBy('fromAt', 'desc')
    .limit(1)
    .executeTakeFirst()
  const fromAt = last && from - last.toAt < samePauseMs ? Math.min(last.fromAt, from) : from
  await db
    .insertInto('serviceDowntimes')
    .values({ fromAt, toAt: to })
    .onConflict((conflict) => conflict.column('fromAt').doUpdateSet({ toAt: to }))
    .execute()
}

/** Those that were not over at an instant, oldest first. */
export async function listDowntimes(
  db: Kysely<Schema>,
  since: number,
): Promise<{ readonly from: number; readonly to: number }[]> {
  const rows = await db
    .selectFrom('serviceDowntimes')
    .selectAll()
    .where('toAt', '>', since)
    .orderBy('fromAt')
    .execute()
  return rows.map(({ fromAt, toAt }) => ({ from: fromAt, to: toAt }))
}

export async function deleteDowntimesBefore(db: Kysely<Schema>, before: number): Promise<void> {
  await db.deleteFrom('serviceDowntimes').where('toAt', '<', before).execute()
}
