import { expect, test } from 'vitest'
import type { Database } from '../../src/storage/database.ts'
import { listLinkedDocuments, replaceDocumentLinks } from '../../src/storage/document-links.ts'
import {
  deleteDocument,
  findDocuments,
  insertDocument,
  listDocumentsAfter,
} from '../../src/storage/documents.ts'
import type { Schema } from '../../src/storage/schema.ts'
import { addSubscriptions, takenSubscriptionKeys } from '../../src/storage/status-page-subscriptions.ts'
import type { DocumentKind } from '../../src/storage/tables/document-tables.ts'
import { forEachEngine } from '../support/databases.ts'
import { addAccount, t0 } from '../support/storage-rows.ts'

const kind = 'status-page'

const rowOf = (
  accountId: string,
  id: string,
  createdAt = t0,
  ofKind: DocumentKind = kind,
): Schema['documents'] => ({
  kind: ofKind,
  id,
  accountId,
  parentId: null,
  definition: '{}',
  createdAt,
  updatedAt: null,
})

async function add(database: Database, row: Schema['documents'], ...targets: string[]): Promise<void> {
  await insertDocument(database.kysely, row)
  await replaceDocumentLinks(database.kysely, row, targets)
}

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)

forEachEngine((_engine, open) => {
  test('finds the documents of an account and kind that name one of several, each once, newest first', async () => {
    const database = await open()
    const [ours, theirs] = [await addAccount(database), await addAccount(database)]
    await add(database, rowOf(ours, 'c', t0), 'x', 'y', 'y')
    await add(database, rowOf(ours, 'b', t0), 'x')
    await add(database, rowOf(ours, 'a', t0 + 1), 'y', 'z')
    await add(database, rowOf(ours, 'none', t0 + 2), 'z')
    await add(database, rowOf(ours, 'a', t0 + 3, 'status-page-incident'), 'x')
    await add(database, rowOf(theirs, 'd', t0 + 4), 'x')
    const linked = async (targets: string[], limit = 10) =>
      idsOf(await listLinkedDocuments(database.kysely, { kind, accountId: ours }, targets, limit))
    expect(await linked(['x', 'y', 'x'])).toEqual(['a', 'b', 'c'])
    expect(await linked(['x', 'y'], 2)).toEqual(['a', 'b'])
    expect(await linked(['nothing'])).toEqual([])
    expect(await linked([])).toEqual([])
    expect(await linked([...Array.from({ length: 9999 }, (_, n) => `${n}`), 'z'])).toEqual(['none', 'a'])
  })

  test('forgets the links of before, and those of a document that goes', async () => {
    const database = await open()
    const db = database.kysely
    const accountId = await addAccount(database)
    const row = rowOf(accountId, 'a')
    await add(database, row, 'x')
    await replaceDocumentLinks(db, row, ['y'])
    expect(await listLinkedDocuments(db, { kind, accountId }, ['x'], 1)).toEqual([])
    expect(await listLinkedDocuments(db, { kind, accountId }, ['y'], 1)).toEqual([row])
    await deleteDocument(db, { kind, accountId }, 'a')
    expect(await db.selectFrom('documentLinks').selectAll().execute()).toEqual([])
  })

  test('keeps more links of a document than a statement has room for', async () => {
    const database = await open()
    const accountId = await addAccount(database)
    const targets = Array.from({ length: 2500 }, (_, n) => `t${n}`)
    await add(database, rowOf(accountId, 'a'), ...targets)
    const rows = await listLinkedDocuments(database.kysely, { kind, accountId }, ['t2499'], 1)
    expect(idsOf(rows)).toEqual(['a'])
  })

  test('reads on behind a document, also when it is gone by then, without gap or repetition', async () => {
    const database = await open()
    const db = database.kysely
    const accountId = await addAccount(database)
    for (const [id, age] of [
      ['a', 1],
      ['b', 1],
      ['c', 1],
      ['d', 0],
      ['e', 2],
    ] as const) {
      await insertDocument(db, rowOf(accountId, id, t0 - age))
    }
    const after = async (createdAt: number, id: string, limit = 10) =>
      idsOf(await listDocumentsAfter(db, { kind, accountId }, { createdAt, id }, limit))
    expect(idsOf(await listDocumentsAfter(db, { kind, accountId }, null, 3))).toEqual(['d', 'a', 'b'])
    expect(await after(t0 - 1, 'b')).toEqual(['c', 'e'])
    expect(await after(t0, 'd', 2)).toEqual(['a', 'b'])
    await deleteDocument(db, { kind, accountId }, 'b')
    expect(await after(t0 - 1, 'b')).toEqual(['c', 'e'])
    expect(await after(t0 - 2, 'e')).toEqual([])
  })

  test('finds those of many ids that an account has', async () => {
    const database = await open()
    const db = database.kysely
    const [ours, theirs] = [await addAccount(database), await addAccount(database)]
    for (const id of ['a', 'b']) await insertDocument(db, rowOf(ours, id))
    await insertDocument(db, rowOf(theirs, 'c'))
    const ids = ['a', ...Array.from({ length: 1200 }, (_, n) => `${n}`), 'b', 'c', 'a']
    const rows = await findDocuments(db, { kind, accountId: ours }, ids)
    expect(idsOf(rows).toSorted()).toEqual(['a', 'b'])
    expect(await findDocuments(db, { kind, accountId: ours }, [])).toEqual([])
  })

  test('tells which keys subscriptions have', async () => {
    const database = await open()
    const db = database.kysely
    const accountId = await addAccount(database)
    const subscription = (key: string) => ({
      key,
      row: rowOf(accountId, key, t0, 'status-page-subscription'),
    })
    await addSubscriptions(db, [subscription('a'), subscription('b')])
    await addSubscriptions(db, [])
    expect((await takenSubscriptionKeys(db, ['a', 'b', 'c'])).toSorted()).toEqual(['a', 'b'])
    await deleteDocument(db, { kind: 'status-page-subscription', accountId }, 'a')
    expect(await takenSubscriptionKeys(db, ['a', 'b', 'c'])).toEqual(['b'])
  })
})
