import type { Kysely } from 'kysely'
import { batchesOf } from './batches.ts'
import { engineOf } from './engine.ts'
import { inTransaction } from './in-transaction.ts'
import type { Page, Paged } from './page.ts'
import { lockRows } from './row-locks.ts'
import type { Schema } from './schema.ts'

type CheckGroupRow = Schema['checkGroups']

export interface CheckGroupFilter {
  /** All of them. */
  readonly tags?: readonly string[]
  /** Any of them. */
  readonly names?: readonly string[]
}

export function insertCheckGroup(
  db: Kysely<Schema>,
  row: CheckGroupRow,
  tags: readonly string[],
): Promise<void> {
  return inTransaction(db, async (tx) => {
    await tx.insertInto('checkGroups').values(row).execute()
    await writeTags(tx, row.id, tags)
  })
}

/** Replaces all but its account and the time it was made. */
export function updateCheckGroup(
  db: Kysely<Schema>,
  { id, name, definition, updatedAt }: CheckGroupRow,
  tags: readonly string[],
): Promise<void> {
  return inTransaction(db, async (tx) => {
    await tx.updateTable('checkGroups').set({ name, definition, updatedAt }).where('id', '=', id).execute()
    await tx.deleteFrom('checkGroupTags').where('groupId', '=', id).execute()
    await writeTags(tx, id, tags)
  })
}

async function writeTags(db: Kysely<Schema>, groupId: number, tags: readonly string[]): Promise<void> {
  const rows = tags.map((tag, position) => ({ groupId, position, tag }))
  for (const batch of batchesOf(rows)) await db.insertInto('checkGroupTags').values(batch).execute()
}

export function findCheckGroup(
  db: Kysely<Schema>,
  accountId: string,
  id: number,
): Promise<CheckGroupRow | undefined> {
  return ofAccount(db, accountId).selectAll().where('id', '=', id).executeTakeFirst()
}

/** As findCheckGroup; until the transaction ends nobody else changes it. */
export function lockCheckGroup(
  db: Kysely<Schema>,
  accountId: string,
  id: number,
): Promise<CheckGroupRow | undefined> {
  return ofAccount(db, accountId)
    .selectAll()
    .where('id', '=', id)
    .$call(lockRows(engineOf(db)))
    .executeTakeFirst()
}

/** Of any account; those that do not exist are left out. */
export async function findCheckGroupsByIds(
  db: Kysely<Schema>,
  ids: readonly number[],
): Promise<CheckGroupRow[]> {
  const found: CheckGroupRow[] = []
  for (const batch of batchesOf([...new Set(ids)])) {
    found.push(...(await db.selectFrom('checkGroups').selectAll().where('id', 'in', batch).execute()))
  }
  return found
}

/** Newest first. */
export async function listCheckGroups(
  db: Kysely<Schema>,
  accountId: string,
  filter: CheckGroupFilter,
  { offset, limit }: Page,
): Promise<Paged<CheckGroupRow>> {
  const matching = matchingGroups(db, accountId, filter)
  const { total } = await matching
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const rows = await matching.selectAll().orderBy('id', 'desc').offset(offset).limit(limit).execute()
  return { rows, total }
}

/** Newest first. */
export function listAllCheckGroups(db: Kysely<Schema>, accountId: string): Promise<CheckGroupRow[]> {
  return ofAccount(db, accountId).selectAll().orderBy('id', 'desc').execute()
}

/** Its tags go with it. */
export async function deleteCheckGroup(db: Kysely<Schema>, id: number): Promise<void> {
  await db.deleteFrom('checkGroups').where('id', '=', id).execute()
}

function ofAccount(db: Kysely<Schema>, accountId: string) {
  return db.selectFrom('checkGroups').where('accountId', '=', accountId)
}

function matchingGroups(db: Kysely<Schema>, accountId: string, { tags = [], names = [] }: CheckGroupFilter) {
  let query = ofAccount(db, accountId)
  if (names.length > 0) query = query.where('name', 'in', names)
  for (const tag of new Set(tags)) {
    query = query.where('id', 'in', (eb) =>
      eb.selectFrom('checkGroupTags').select('groupId').where('tag', '=', tag),
    )
  }
  return query
}
