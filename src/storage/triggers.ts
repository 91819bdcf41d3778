import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

type TriggerRow = Schema['triggers']

/** What a trigger runs. */
export type TriggerTarget = { readonly checkId: string } | { readonly groupId: number }

export async function insertTrigger(db: Kysely<Schema>, row: TriggerRow): Promise<void> {
  await db.insertInto('triggers').values(row).execute()
}

export function findTrigger(
  db: Kysely<Schema>,
  accountId: string,
  target: TriggerTarget,
): Promise<TriggerRow | undefined> {
  const query = db.selectFrom('triggers').selectAll().where('accountId', '=', accountId)
  const ofTarget =
    'checkId' in target
      ? query.where('checkId', '=', target.checkId)
      : query.where('groupId', '=', target.groupId)
  return ofTarget.executeTakeFirst()
}

/** Of any account. */
export function findTriggerByToken(db: Kysely<Schema>, token: string): Promise<TriggerRow | undefined> {
  return db.selectFrom('triggers').selectAll().where('token', '=', token).executeTakeFirst()
}

export async function noteTriggerCall(db: Kysely<Schema>, id: number, calledAt: number): Promise<void> {
  await db.updateTable('triggers').set({ calledAt }).where('id', '=', id).execute()
}

export async function deleteTrigger(db: Kysely<Schema>, id: number): Promise<void> {
  await db.deleteFrom('triggers').where('id', '=', id).execute()
}
