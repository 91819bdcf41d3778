import { expect, test } from 'vitest'
import { badgeStatuses, responseTimesOf } from '../../src/storage/badge-statuses.ts'
import { insertCheckGroup } from '../../src/storage/check-groups.ts'
import { insertResults } from '../../src/storage/check-results.ts'
import { lockStatuses, saveStatuses } from '../../src/storage/check-statuses.ts'
import { forEachEngine } from '../support/databases.ts'
import { addAccount, addCheck, resultRow, statusRow, t0 } from '../support/storage-rows.ts'

forEachEngine((_engine, open) => {
  test('finds the folds of a check, or of the checks of a group: of those that are active and were folded', async () => {
    const database = await open()
    const db = database.kysely
    const accountId = await addAccount(database)
    const row = { accountId, name: 'Shop', definition: '{}', createdAt: t0, updatedAt: null }
    for (const id of [1, 2]) await insertCheckGroup(db, { ...row, id }, [])
    const add = async (status: string, changes: Parameters<typeof addCheck>[2]) => {
      const check = await addCheck(database, accountId, changes)
      await saveStatuses(db, [statusRow(accountId, check.id, { status })])
      return check.id
    }
    const alone = await add('alone', {})
    const inactive = await add('inactive', { groupId: 1, activated: 0 })
    for (const status of ['one', 'two']) await add(status, { groupId: 1 })
    await add('other group', { groupId: 2 })
    const locked = await addCheck(database, accountId, { groupId: 1 })
    await database.transaction((tx) => lockStatuses(tx, [locked.id]))

    expect((await badgeStatuses(db, { groupId: 1 })).sort()).toEqual(['one', 'two'])
    expect(await badgeStatuses(db, { checkId: alone })).toEqual(['alone'])
    expect(await badgeStatuses(db, { checkId: inactive })).toEqual([])
    expect(await badgeStatuses(db, { checkId: locked.id })).toEqual([])
    expect(await badgeStatuses(db, { checkId: 'none' })).toEqual([])
    expect(await badgeStatuses(db, { groupId: 3 })).toEqual([])
  })

  test('gives the response times of results, without those that have none', async () => {
    const { kysely: db } = await open()
    const rows = [12.5, null, 40].map((responseTimeMs) => resultRow({ responseTimeMs }))
    for (const row of rows) await insertResults(db, [row])
    const ids = rows.map(({ id }) => id)
    expect((await responseTimesOf(db, ids)).sort()).toEqual([12.5, 40])
    expect(await responseTimesOf(db, ids.slice(1, 2))).toEqual([])
    expect(await responseTimesOf(db, [])).toEqual([])
  })
})
