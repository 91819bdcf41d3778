import { expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { insertLocationKey, listLocationKeys } from '../../src/storage/location-keys.ts'
import {
  deletePrivateLocation,
  findPrivateLocation,
  insertPrivateLocation,
  listAllPrivateLocations,
  listPrivateLocations,
  lockPrivateLocations,
  updatePrivateLocation,
} from '../../src/storage/private-locations.ts'
import type { Schema } from '../../src/storage/schema.ts'
import { forEachEngine } from '../support/databases.ts'
import { addAccount, t0 } from '../support/storage-rows.ts'

const locationRow = (accountId: string, slugName: string, createdAt = t0): Schema['privateLocations'] => ({
  id: newId(),
  accountId,
  name: `The ${slugName}`,
  slugName,
  icon: 'location',
  proxyUrl: null,
  createdAt,
  updatedAt: null,
})

forEachEngine((_engine, open) => {
  test('gives a slug to one location of an account; other accounts may have the same', async () => {
    const database = await open()
    const db = database.kysely
    const [ours, theirs] = [await addAccount(database), await addAccount(database)]
    const first = locationRow(ours, 'cellar')
    expect(await insertPrivateLocation(db, first)).toBe(true)
    expect(await insertPrivateLocation(db, locationRow(ours, 'cellar'))).toBe(false)
    expect(await insertPrivateLocation(db, locationRow(theirs, 'cellar'))).toBe(true)
    expect(await listPrivateLocations(db, ours)).toEqual([first])
  })

  test('gives a slug to one of several who ask at once', async () => {
    const database = await open()
    const accountId = await addAccount(database)
    const inserted = await Promise.all(
      Array.from({ length: 5 }, () =>
        insertPrivateLocation(database.kysely, locationRow(accountId, 'cellar')),
      ),
    )
    expect(inserted.filter(Boolean)).toHaveLength(1)
  })

  test('lists and finds the locations of one account alone', async () => {
    const database = await open()
    const db = database.kysely
    const [ours, theirs] = [await addAccount(database), await addAccount(database)]
    const [cellar, attic, foreign] = [
      locationRow(ours, 'cellar', t0 + 1),
      locationRow(ours, 'attic'),
      locationRow(theirs, 'office', t0 + 2),
    ]
    for (const row of [cellar, attic, foreign]) await insertPrivateLocation(db, row)
    expect(await listPrivateLocations(db, ours)).toEqual([attic, cellar])
    expect(await listAllPrivateLocations(db)).toEqual([attic, cellar, foreign])
    expect(await findPrivateLocation(db, ours, cellar.id)).toEqual(cellar)
    expect(await findPrivateLocation(db, ours, foreign.id)).toBeUndefined()
    expect(await lockPrivateLocations(db, ours, ['attic', 'office', 'nowhere'])).toEqual([attic])
    expect(await lockPrivateLocations(db, ours, [])).toEqual([])
  })

  test('changes name, icon and proxy, and nothing else', async () => {
    const database = await open()
    const db = database.kysely
    const [ours, theirs] = [await addAccount(database), await addAccount(database)]
    const row = locationRow(ours, 'cellar')
    await insertPrivateLocation(db, row)
    const update = { name: 'Vault', icon: 'key', proxyUrl: 'http://proxy:3128', updatedAt: t0 + 9 }
    const withMore = { ...update, slugName: 'vault' }
    expect(await updatePrivateLocation(db, theirs, row.id, withMore)).toBe(false)
    expect(await updatePrivateLocation(db, ours, row.id, withMore)).toBe(true)
    expect(await findPrivateLocation(db, ours, row.id)).toEqual({ ...row, ...update })
  })

  test('takes its keys with it', async () => {
    const database = await open()
    const db = database.kysely
    const [ours, theirs] = [await addAccount(database), await addAccount(database)]
    const row = locationRow(ours, 'cellar')
    await insertPrivateLocation(db, row)
    const key = {
      id: newId(),
      accountId: ours,
      privateLocationId: row.id,
      location: 'cellar',
      hash: 'hash',
      masked: '****abcd',
      createdAt: t0,
    }
    await insertLocationKey(db, key, 2)
    expect(await deletePrivateLocation(db, theirs, row.id)).toBe(false)
    expect(await listLocationKeys(db, [row.id])).toEqual([key])
    expect(await deletePrivateLocation(db, ours, row.id)).toBe(true)
    expect(await deletePrivateLocation(db, ours, row.id)).toBe(false)
    expect(await listLocationKeys(db, [row.id])).toEqual([])
  })
})
