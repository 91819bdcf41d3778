import type { Kysely } from 'kysely'
import { batchesOf } from './batches.ts'
import type { Schema } from './schema.ts'
import type { DocumentKind } from './tables/document-tables.ts'

/** Every document of a kind that these accounts have, in no order. */
export async function listDocumentsOfAccounts(
  db: Kysely<Schema>,
  kind: DocumentKind,
  accountIds: readonly string[],
): Promise<Schema['documents'][]> {
  const rows: Schema['documents'][] = []
  for (const batch of batchesOf([...new Set(accountIds)])) {
    const query = db.selectFrom('documents').selectAll().where('kind', '=', kind)
    rows.push(...(await query.where('accountId', 'in', batch).execute()))
  }
  return rows
}
