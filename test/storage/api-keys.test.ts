import { expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import {
  deleteApiKey,
  findApiKeyByHash,
  insertApiKey,
  listApiKeys,
  touchApiKey,
} from '../../src/storage/api-keys.ts'
import { forEachEngine } from '../support/databases.ts'
import { addAccount, t0 } from '../support/storage-rows.ts'

const keyRow = (accountId: string, hash: string, createdAt = t0) => ({
  id: newId(),
  accountId,
  name: 'a key',
  hash,
  masked: '****abcd',
  createdAt,
  lastUsedAt: null,
})

forEachEngine((_engine, open) => {
  test('finds a key by its hash, and only by the whole of it', async () => {
    const database = await open()
    const row = keyRow(await addAccount(database), 'hash')
    await insertApiKey(database.kysely, row)
    expect(await findApiKeyByHash(database.kysely, 'hash')).toEqual(row)
    expect(await findApiKeyByHash(database.kysely, 'HASH')).toBeUndefined()
    expect(await findApiKeyByHash(database.kysely, 'has')).toBeUndefined()
  })

  test('one hash is one key', async () => {
    const database = await open()
    const accountId = await addAccount(database)
    await insertApiKey(database.kysely, keyRow(accountId, 'hash'))
    await expect(insertApiKey(database.kysely, keyRow(accountId, 'hash'))).rejects.toThrow()
  })

  test('notes when a key was used last', async () => {
    const database = await open()
    const row = keyRow(await addAccount(database), 'hash')
    await insertApiKey(database.kysely, row)
    await touchApiKey(database.kysely, row.id, t0 + 5)
    expect(await findApiKeyByHash(database.kysely, 'hash')).toEqual({ ...row, lastUsedAt: t0 + 5 })
  })

  test('lists the keys of one account, oldest first, and deletes no other account’s', async () => {
    const database = await open()
    const [ours, theirs] = [await addAccount(database), await addAccount(database)]
    const [newer, older] = [keyRow(ours, 'newer', t0 + 1), keyRow(ours, 'older', t0)]
    for (const row of [newer, older, keyRow(theirs, 'theirs')]) await insertApiKey(database.kysely, row)
    expect(await listApiKeys(database.kysely, ours)).toEqual([older, newer])
    expect(await deleteApiKey(database.kysely, theirs, older.id)).toBe(false)
    expect(await deleteApiKey(database.kysely, ours, older.id)).toBe(true)
    expect(await deleteApiKey(database.kysely, ours, older.id)).toBe(false)
    expect(await listApiKeys(database.kysely, ours)).toEqual([newer])
  })
})
