import type { Kysely } from 'kysely'
import { batchesOf } from './batches.ts'
import { engineOf } from './engine.ts'
import type { Page, Paged } from './page.ts'
import { lockRows } from './row-locks.ts'
import type { Schema } from './schema.ts'
import type { DocumentKind } from './tables/document-tables.ts'

type DocumentRow = Schema['documents']

export interface DocumentFilter {
  readonly kind: DocumentKind
  readonly accountId: string
  /** Only what belongs to this one. */
  readonly parentId?: string
}

export async function insertDocument(db: Kysely<Schema>, row: DocumentRow): Promise<void> {
  await db.insertInto('documents').values(row).execute()
}

export function findDocument(
  db: Kysely<Schema>,
  filter: DocumentFilter,
  id: string,
): Promise<DocumentRow | undefined> {
  return matching(db, filter).selectAll().where('id', '=', id).executeTakeFirst()
}

/** As findDocument; until the transaction ends nobody else changes it. */
export function lockDocument(
  db: Kysely<Schema>,
  filter: DocumentFilter,
  id: string,
): Promise<DocumentRow | undefined> {
  return matching(db, filter)
    .selectAll()
    .where('id', '=', id)
    .$call(lockRows(engineOf(db)))
    .executeTakeFirst()
}

/** Of any account. */
export function findDocumentByKey(
  db: Kysely<Schema>,
  kind: DocumentKind,
  key: string,
): Promise<DocumentRow | undefined> {
  return db
    .selectFrom('documents')
    .innerJoin('documentKeys', (join) =>
      join
        .onRef('documentKeys.kind', '=', 'documents.kind')
        .onRef('documentKeys.documentId', '=', 'documents.id'),
    )
    .selectAll('documents')
    .where('documentKeys.kind', '=', kind)
    .where('documentKeys.key', '=', key)
    .executeTakeFirst()
}

/** Newest first, then by id. */
export async function listDocuments(
  db: Kysely<Schema>,
  filter: DocumentFilter,
  { offset, limit }: Page,
): Promise<Paged<DocumentRow>> {
  const rows = await inOrder(db, filter).offset(offset).limit(limit).execute()
  return { rows, total: await countDocuments(db, filter) }
}

/** The newest, then by id; those behind `after` when it is one of them, or was. */
export function listDocumentsAfter(
  db: Kysely<Schema>,
  filter: DocumentFilter,
  after: Pick<DocumentRow, 'createdAt' | 'id'> | null,
  limit: number,
): Promise<DocumentRow[]> {
  let query = inOrder(db, filter)
  if (after) {
    const { createdAt, id } = after
    // The first condition follows from the second and lets the index begin at the cursor.
    query = query
      .where('createdAt', '<=', createdAt)
      .where((eb) => eb.or([eb('createdAt', '<', createdAt), eb('id', '>', id)]))
  }
  return query.limit(limit).execute()
}

/** Those of them that there are, in no order. */
export async function findDocuments(
  db: Kysely<Schema>,
  filter: DocumentFilter,
  ids: readonly string[],
): Promise<DocumentRow[]> {
  const rows: DocumentRow[] = []
  for (const batch of batchesOf([...new Set(ids)])) {
    rows.push(...(await matching(db, filter).selectAll().where('id', 'in', batch).execute()))
  }
  return rows
}

/** Newest first, then by id. */
export function listAllDocuments(db: Kysely<Schema>, filter: DocumentFilter): Promise<DocumentRow[]> {
  return inOrder(db, filter).execute()
}

/** Those of `ids` that the account has. */
export async function existingDocumentIds(
  db: Kysely<Schema>,
  filter: DocumentFilter,
  ids: readonly string[],
): Promise<string[]> {
  const existing: string[] = []
  for (const batch of batchesOf([...new Set(ids)])) {
    const rows = await matching(db, filter).select('id').where('id', 'in', batch).execute()
    existing.push(...rows.map(({ id }) => id))
  }
  return existing
}

export async function countDocuments(db: Kysely<Schema>, filter: DocumentFilter): Promise<number> {
  const { total } = await matching(db, filter)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return total
}

export async function updateDocument(
  db: Kysely<Schema>,
  { kind, id, definition, updatedAt }: DocumentRow,
): Promise<void> {
  await db
    .updateTable('documents')
    .set({ definition, updatedAt })
    .where('kind', '=', kind)
    .where('id', '=', id)
    .execute()
}

/** Its keys go with it. False when there is no such document. */
export async function deleteDocument(
  db: Kysely<Schema>,
  { kind, accountId }: DocumentFilter,
  id: string,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('documents')
    .where('kind', '=', kind)
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Everything of the kind that belongs to the parent. */
export async function deleteDocumentsOf(
  db: Kysely<Schema>,
  kind: DocumentKind,
  parentId: string,
): Promise<void> {
  await db.deleteFrom('documents').where('kind', '=', kind).where('parentId', '=', parentId).execute()
}

/**
 * Gives the document these keys in the place of those it had; null when it has them all, else the first that another
 * document of its kind has: then the transaction must not be kept.
 */
export async function replaceDocumentKeys(
  db: Kysely<Schema>,
  { kind, id: documentId }: Pick<DocumentRow, 'kind' | 'id'>,
  keys: readonly string[],
): Promise<string | null> {
  await db.deleteFrom('documentKeys').where('kind', '=', kind).where('documentId', '=', documentId).execute()
  for (const batch of batchesOf(keys)) {
    const written = await db
      .insertInto('documentKeys')
      .values(batch.map((key) => ({ kind, key, documentId })))
      .onConflict((conflict) => conflict.columns(['kind', 'key']).doNothing())
      .returning('key')
      .execute()
    const taken = batch.find((key) => !written.some((row) => row.key === key))
    if (taken !== undefined) return taken
  }
  return null
}

function matching(db: Kysely<Schema>, { kind, accountId, parentId }: DocumentFilter) {
  const query = db.selectFrom('documents').where('kind', '=', kind).where('accountId', '=', accountId)
  return parentId === undefined ? query : query.where('parentId', '=', parentId)
}

function inOrder(db: Kysely<Schema>, filter: DocumentFilter) {
  return matching(db, filter).selectAll().orderBy('createdAt', 'desc').orderBy('id')
}
