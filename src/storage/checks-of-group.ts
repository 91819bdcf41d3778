import type { Kysely } from 'kysely'
import { engineOf } from './engine.ts'
import type { Page, Paged } from './page.ts'
import { lockRows } from './row-locks.ts'
import type { Schema } from './schema.ts'

type CheckRow = Schema['checks']

/** The order in which a triggered group runs them: by groupOrder of the definition is the caller's; newest first here. */
export async function listChecksOfGroup(
  db: Kysely<Schema>,
  groupId: number,
  { offset, limit }: Page,
): Promise<Paged<CheckRow>> {
  const ofGroup = db.selectFrom('checks').where('groupId', '=', groupId)
  const { total } = await ofGroup
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const rows = await ofGroup
    .selectAll()
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .offset(offset)
    .limit(limit)
    .execute()
  return { rows, total }
}

/** All of them, in the order of their ids; until the transaction ends nobody else changes or plans one. */
export function lockChecksOfGroup(db: Kysely<Schema>, groupId: number): Promise<CheckRow[]> {
  return db
    .selectFrom('checks')
    .selectAll()
    .where('groupId', '=', groupId)
    .orderBy('id')
    .$call(lockRows(engineOf(db)))
    .execute()
}

/** A new version, and when it is due next. */
export async function rescheduleCheck(
  db: Kysely<Schema>,
  id: string,
  nextDueAt: number | null,
): Promise<void> {
  await db
    .updateTable('checks')
    .set((eb) => ({ nextDueAt, version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .execute()
}
