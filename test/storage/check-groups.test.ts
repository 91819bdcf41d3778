import { expect, test } from 'vitest'
import {
  deleteCheckGroup,
  findCheckGroup,
  findCheckGroupsByIds,
  insertCheckGroup,
  listAllCheckGroups,
  listCheckGroups,
  lockCheckGroup,
  updateCheckGroup,
} from '../../src/storage/check-groups.ts'
import { listChecksOfGroup, lockChecksOfGroup, rescheduleCheck } from '../../src/storage/checks-of-group.ts'
import { nextNumber } from '../../src/storage/counters.ts'
import { forEachEngine } from '../support/databases.ts'
import { addAccount, addCheck, t0 } from '../support/storage-rows.ts'

const row = (accountId: string, id: number, name = `group ${id}`) => ({
  id,
  accountId,
  name,
  definition: '{}',
  createdAt: t0,
  updatedAt: null,
})
const all = { offset: 0, limit: 100 }

forEachEngine((_engine, open) => {
  test('finds, lists, replaces and deletes the groups of one account', async () => {
    const database = await open()
    const db = database.kysely
    const [ours, theirs] = [await addAccount(database), await addAccount(database)]
    await insertCheckGroup(db, row(ours, 1), ['a', 'b'])
    await insertCheckGroup(db, row(theirs, 2), ['a'])
    await insertCheckGroup(db, row(ours, 3), ['b'])
    expect(await findCheckGroup(db, ours, 1)).toEqual(row(ours, 1))
    expect(await findCheckGroup(db, ours, 2)).toBeUndefined()
    const ids = async (filter: object) =>
      (await listCheckGroups(db, ours, filter, all)).rows.map(({ id }) => id)
    expect(await ids({})).toEqual([3, 1])
    expect(await ids({ tags: ['b', 'b'] })).toEqual([3, 1])
    expect(await ids({ tags: ['a', 'b'] })).toEqual([1])
    expect(await ids({ names: ['group 3', 'group 2'] })).toEqual([3])
    expect((await listAllCheckGroups(db, ours)).map(({ id }) => id)).toEqual([3, 1])
    expect((await findCheckGroupsByIds(db, [1, 2, 2, 9])).map(({ id }) => id).toSorted()).toEqual([1, 2])
    const changed = { ...row(ours, 1, 'renamed'), definition: '{"a":1}', updatedAt: t0 + 1 }
    await updateCheckGroup(db, changed, ['c'])
    expect(await lockCheckGroup(db, ours, 1)).toEqual(changed)
    expect(await ids({ tags: ['c'] })).toEqual([1])
    expect(await ids({ tags: ['a'] })).toEqual([])
    await deleteCheckGroup(db, 1)
    expect(await ids({})).toEqual([3])
  })

  test('knows the checks of a group, and gives each a new version', async () => {
    const database = await open()
    const db = database.kysely
    const accountId = await addAccount(database)
    await insertCheckGroup(db, row(accountId, 1), [])
    const older = await addCheck(database, accountId, { groupId: 1 })
    const newer = await addCheck(database, accountId, { groupId: 1, createdAt: t0 + 1 })
    await addCheck(database, accountId)
    const { rows, total } = await listChecksOfGroup(db, 1, { offset: 0, limit: 1 })
    expect([rows.map(({ id }) => id), total]).toEqual([[newer.id], 2])
    await rescheduleCheck(db, older.id, null)
    const locked = await lockChecksOfGroup(db, 1)
    expect(locked.map(({ id }) => id)).toEqual([older.id, newer.id].toSorted())
    expect(locked.find(({ id }) => id === older.id)).toEqual({ ...older, nextDueAt: null, version: 2 })
  })

  test('gives each number out once, to many who ask at once', async () => {
    const { kysely } = await open()
    const numbers = await Promise.all(Array.from({ length: 20 }, () => nextNumber(kysely, 'x')))
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1))
    expect(await nextNumber(kysely, 'y')).toBe(1)
  })
})
