import { expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import {
  findApiKeyByHash,
  insertApiKey,
  listApiKeys,
  revokeApiKey,
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

const ofService = { kind: 'service', userName: null, revokedAt: null }

forEachEngine((_engine, open) => {
  test('finds a key by its hash, and only by the whole of it', async () => {
    const database = await open()
    const row = keyRow(await addAccount(database), 'hash')
    await insertApiKey(database.kysely, row)
    expect(await findApiKeyByHash(database.kysely, 'hash')).toEqual({ ...row, ...ofService })
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
    expect(await findApiKeyByHash(database.kysely, 'hash')).toEqual({
      ...row,
      ...ofService,
      lastUsedAt: t0 + 5,
    })
  })

  test('keeps whose a key is: several may be one person’s', async () => {
    const database = await open()
    const accountId = await addAccount(database)
    const owner = { kind: 'user', userName: 'Ada' } as const
    for (const hash of ['laptop', 'desk']) await insertApiKey(database.kysely, keyRow(accountId, hash), owner)
    expect(await listApiKeys(database.kysely, accountId)).toMatchObject([owner, owner])
  })

  test('lists the keys of one account that open something, oldest first, and revokes no other account’s', async () => {
    const database = await open()
    const [ours, theirs] = [await addAccount(database), await addAccount(database)]
    const [newer, older] = [keyRow(ours, 'newer', t0 + 1), keyRow(ours, 'older', t0)]
    for (const row of [newer, older, keyRow(theirs, 'theirs')]) await insertApiKey(database.kysely, row)
    const revoke = (accountId: string, now: number) =>
      revokeApiKey(database.kysely, { accountId, id: older.id }, now)
    const hashes = async () => (await listApiKeys(database.kysely, ours)).map(({ hash }) => hash)
    expect(await hashes()).toEqual(['older', 'newer'])
    expect(await revoke(theirs, t0 + 2)).toBe(false)
    expect(await revoke(ours, t0 + 3)).toBe(true)
    expect(await revoke(ours, t0 + 4)).toBe(false)
    expect(await hashes()).toEqual(['newer'])
    expect(await findApiKeyByHash(database.kysely, 'older')).toMatchObject({ revokedAt: t0 + 3 })
  })
})
