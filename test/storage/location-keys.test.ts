import { expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import type { Database } from '../../src/storage/database.ts'
import {
  deleteDataCenterKey,
  deleteLocationKey,
  findLocationKeyByHash,
  insertLocationKey,
  listDataCenterKeys,
  listLocationKeys,
} from '../../src/storage/location-keys.ts'
import { insertPrivateLocation } from '../../src/storage/private-locations.ts'
import type { Schema } from '../../src/storage/schema.ts'
import { forEachEngine } from '../support/databases.ts'
import { addAccount, t0 } from '../support/storage-rows.ts'

async function addLocation(database: Database, accountId: string, slugName: string): Promise<string> {
  const id = newId()
  const row = { id, accountId, name: slugName, slugName, icon: 'location', proxyUrl: null }
  await insertPrivateLocation(database.kysely, { ...row, createdAt: t0, updatedAt: null })
  return id
}

const keyRow = (
  accountId: string | null,
  privateLocationId: string | null,
  createdAt = t0,
): Schema['locationKeys'] => {
  const id = newId()
  const location = privateLocationId === null ? 'eu-west-1' : 'cellar'
  return { id, accountId, privateLocationId, location, hash: `hash of ${id}`, masked: '****abcd', createdAt }
}

forEachEngine((_engine, open) => {
  test('gives a private location no more keys than allowed', async () => {
    const database = await open()
    const accountId = await addAccount(database)
    const [cellar, attic] = [
      await addLocation(database, accountId, 'cellar'),
      await addLocation(database, accountId, 'attic'),
    ]
    const insert = (locationId: string) =>
      insertLocationKey(database.kysely, keyRow(accountId, locationId), 2)
    expect([await insert(cellar), await insert(cellar), await insert(cellar)]).toEqual([true, true, false])
    expect(await insert(attic)).toBe(true)
  })

  test('gives it no more keys when many are asked for at once', async () => {
    const database = await open()
    const accountId = await addAccount(database)
    const cellar = await addLocation(database, accountId, 'cellar')
    const inserted = await Promise.all(
      Array.from({ length: 8 }, () => insertLocationKey(database.kysely, keyRow(accountId, cellar), 2)),
    )
    expect(inserted.filter(Boolean)).toHaveLength(2)
    expect(await listLocationKeys(database.kysely, [cellar])).toHaveLength(2)
  })

  test('gives a private location that is gone no key', async () => {
    const database = await open()
    const accountId = await addAccount(database)
    expect(await insertLocationKey(database.kysely, keyRow(accountId, newId()), 2)).toBe(false)
  })

  test('finds a key by its hash', async () => {
    const { kysely: db } = await open()
    const row = keyRow(null, null)
    await insertLocationKey(db, row, Number.MAX_SAFE_INTEGER)
    expect(await findLocationKeyByHash(db, row.hash)).toEqual(row)
    expect(await findLocationKeyByHash(db, 'another')).toBeUndefined()
  })

  test('lists the keys of some private locations, oldest first', async () => {
    const database = await open()
    const db = database.kysely
    const accountId = await addAccount(database)
    const [cellar, attic, office] = [
      await addLocation(database, accountId, 'cellar'),
      await addLocation(database, accountId, 'attic'),
      await addLocation(database, accountId, 'office'),
    ]
    const rows = [
      keyRow(accountId, cellar, t0 + 2),
      keyRow(accountId, attic, t0 + 1),
      keyRow(accountId, office),
    ]
    for (const row of rows) await insertLocationKey(db, row, 2)
    expect(await listLocationKeys(db, [cellar, attic])).toEqual([rows[1], rows[0]])
    expect(await listLocationKeys(db, [])).toEqual([])
  })

  test('deletes a key only with its own location and account', async () => {
    const database = await open()
    const db = database.kysely
    const [ours, theirs] = [await addAccount(database), await addAccount(database)]
    const [cellar, attic] = [
      await addLocation(database, ours, 'cellar'),
      await addLocation(database, ours, 'attic'),
    ]
    const key = keyRow(ours, cellar)
    await insertLocationKey(db, key, 2)
    expect(await deleteLocationKey(db, theirs, cellar, key.id)).toBe(false)
    expect(await deleteLocationKey(db, ours, attic, key.id)).toBe(false)
    expect(await deleteDataCenterKey(db, key.id)).toBe(false)
    expect(await deleteLocationKey(db, ours, cellar, key.id)).toBe(true)
    expect(await deleteLocationKey(db, ours, cellar, key.id)).toBe(false)
  })

  test('keeps keys of data-center locations apart', async () => {
    const database = await open()
    const db = database.kysely
    const accountId = await addAccount(database)
    const cellar = await addLocation(database, accountId, 'cellar')
    const dataCenter = keyRow(null, null)
    for (const row of [dataCenter, keyRow(accountId, cellar)]) await insertLocationKey(db, row, 2)
    expect(await listDataCenterKeys(db)).toEqual([dataCenter])
    expect(await deleteDataCenterKey(db, dataCenter.id)).toBe(true)
    expect(await listDataCenterKeys(db)).toEqual([])
  })
})
