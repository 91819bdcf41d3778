import type { Kysely } from 'kysely'
import { batchesOf } from './batches.ts'
import type { DocumentFilter } from './documents.ts'
import type { Schema } from './schema.ts'

type DocumentRow = Schema['documents']

/** Says that the document names these targets, each once, and no others. */
export async function replaceDocumentLinks(
  db: Kysely<Schema>,
  { kind, id: documentId }: Pick<DocumentRow, 'kind' | 'id'>,
  targets: readonly string[],
): Promise<void> {
  await db.deleteFrom('documentLinks').where('kind', '=', kind).where('documentId', '=', documentId).execute()
  for (const batch of batchesOf([...new Set(targets)])) {
    await db
      .insertInto('documentLinks')
      .values(batch.map((targetId) => ({ kind, documentId, targetId })))
      .execute()
  }
}

/** The documents that name one of the targets, each once: newest first, then by id. At most 10,000 targets. */
export async function listLinkedDocuments(
  db: Kysely<Schema>,
  { kind, accountId }: DocumentFilter,
  targets: readonly string[],
  limit: number,
): Promise<DocumentRow[]> {
  if (targets.length === 0) return []
  return db
    .selectFrom('documents')
    .selectAll()
    .where('kind', '=', kind)
    .where('accountId', '=', accountId)
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('documentLinks')
        .select('documentId')
        .where('documentLinks.kind', '=', kind)
        .where('documentLinks.targetId', 'in', [...new Set(targets)]),
    )
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute()
}
