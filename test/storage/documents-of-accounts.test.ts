import { expect, test } from 'vitest'
import { insertDocument } from '../../src/storage/documents.ts'
import { listDocumentsOfAccounts } from '../../src/storage/documents-of-accounts.ts'
import { forEachEngine } from '../support/databases.ts'
import { t0 } from '../support/storage-rows.ts'

forEachEngine((_engine, open) => {
  test('lists the documents of one kind that some accounts have, and of no other account', async () => {
    const { kysely: db } = await open()
    for (const id of ['a', 'b', 'c']) {
      await db.insertInto('accounts').values({ id, name: id, runtimeId: '2026.04', createdAt: t0 }).execute()
    }
    const base = { parentId: null, definition: '{}', createdAt: t0, updatedAt: null }
    const window = { ...base, kind: 'maintenance-window' } as const
    const [first, second] = [
      { ...window, id: '1', accountId: 'a' },
      { ...window, id: '2', accountId: 'b' },
    ]
    await insertDocument(db, first)
    await insertDocument(db, second)
    await insertDocument(db, { ...window, id: '3', accountId: 'c' })
    await insertDocument(db, { ...base, kind: 'snippet', id: '4', accountId: 'a' })
    const listed = await listDocumentsOfAccounts(db, 'maintenance-window', ['a', 'b', 'a', 'none'])
    expect(listed.toSorted((x, y) => x.id.localeCompare(y.id))).toEqual([first, second])
    expect(await listDocumentsOfAccounts(db, 'maintenance-window', [])).toEqual([])
  })
})
