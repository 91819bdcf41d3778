import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { insertResults, listResults } from '../../src/storage/check-results.ts'
import { enqueueRuns, findRuns } from '../../src/storage/check-runs.ts'
import { findStatus, saveStatuses } from '../../src/storage/check-statuses.ts'
import {
  checksUsingPrivateLocation,
  deleteCheck,
  findCheck,
  findChecksByIds,
  insertCheck,
  listChecks,
  lockChecksDueBefore,
  setNextDueAts,
  updateCheck,
} from '../../src/storage/checks.ts'
import type { CheckFilter } from '../../src/storage/matching-checks.ts'
import { insertMissedSlots, listMissedSlots } from '../../src/storage/missed-slots.ts'
import { forEachEngine } from '../support/databases.ts'
import { addAccount, addCheck, checkRow, resultRow, runRow, statusRow, t0 } from '../support/storage-rows.ts'

const firstPage = { offset: 0, limit: 100 }
const nothing = { tags: [], locations: [] }

forEachEngine((engine, open) => {
  test('gives a check back as it was written, to its own account alone', async () => {
    const database = await open()
    const [ours, theirs] = [await addAccount(database), await addAccount(database)]
    const row = await addCheck(database, ours, {
      name: 'Žluťoučký 🐎',
      definition: '{"a":{"b_c":[1]}}',
      url: null,
    })
    expect(await findCheck(database.kysely, ours, row.id)).toEqual(row)
    expect(await findCheck(database.kysely, theirs, row.id)).toBeUndefined()
  })

  test('writes a check with its tags and locations, or not at all', async () => {
    const database = await open()
    const row = checkRow(await addAccount(database))
    await sql`drop table check_locations`.execute(database.kysely)
    await expect(insertCheck(database.kysely, row, { tags: [], locations: ['cellar'] })).rejects.toThrow()
    expect(await findCheck(database.kysely, row.accountId, row.id)).toBeUndefined()
  })

  test('finds checks by any number of ids, of whatever account', async () => {
    const database = await open()
    const rows = [
      await addCheck(database, await addAccount(database)),
      await addCheck(database, await addAccount(database)),
    ]
    const strangers = Array.from({ length: 1200 }, () => newId())
    const found = await findChecksByIds(database.kysely, [...strangers, ...rows.map(({ id }) => id)])
    expect(new Set(found)).toEqual(new Set(rows))
    expect(await findChecksByIds(database.kysely, [])).toEqual([])
  })

  describe('an update', () => {
    test('replaces the check, its tags and its locations', async () => {
      const database = await open()
      const db = database.kysely
      const row = await addCheck(
        database,
        await addAccount(database),
        {},
        { tags: ['old'], locations: ['cellar'] },
      )
      const changed = {
        ...row,
        name: 'New',
        definition: '{}',
        version: 2,
        nextDueAt: null,
        updatedAt: t0 + 9,
      }
      await updateCheck(db, changed, { tags: ['new'], locations: ['attic'] })
      expect(await findCheck(db, row.accountId, row.id)).toEqual(changed)
      expect((await listChecks(db, row.accountId, { tags: ['old'] }, firstPage)).rows).toEqual([])
      expect((await listChecks(db, row.accountId, { tags: ['new'] }, firstPage)).rows).toEqual([changed])
      expect(await checksUsingPrivateLocation(db, row.accountId, 'cellar')).toEqual([])
      expect(await checksUsingPrivateLocation(db, row.accountId, 'attic')).toEqual([row.id])
    })

    test('moves neither the account nor the time it was made, and touches no other account’s check', async () => {
      const database = await open()
      const db = database.kysely
      const row = await addCheck(database, await addAccount(database), {}, { tags: ['kept'] })
      const other = await addAccount(database)
      await updateCheck(db, { ...row, accountId: other, name: 'stolen' }, nothing)
      expect(await findCheck(db, row.accountId, row.id)).toEqual(row)
      expect((await listChecks(db, row.accountId, { tags: ['kept'] }, firstPage)).total).toBe(1)
      await updateCheck(db, { ...row, version: 2, createdAt: 1 }, nothing)
      expect(await findCheck(db, row.accountId, row.id)).toEqual({ ...row, version: 2 })
    })

    test('gives each of two at once a version of its own', async () => {
      const database = await open()
      const db = database.kysely
      const row = await addCheck(database, await addAccount(database))
      const update = (name: string) => updateCheck(db, { ...row, name, version: 2 }, nothing)
      await Promise.all([update('one'), update('other')])
      expect((await findCheck(db, row.accountId, row.id))?.version).toBe(3)
    })
  })

  test('deletes with a check all that belongs to it, and nothing else', async () => {
    const database = await open()
    const db = database.kysely
    const accountId = await addAccount(database)
    const checks = [
      await addCheck(database, accountId, {}, { tags: ['a'], locations: ['cellar'] }),
      await addCheck(database, accountId, {}, { tags: ['a'], locations: ['cellar'] }),
    ] as const
    for (const { id: checkId } of checks) {
      await enqueueRuns(db, [runRow({ accountId, checkId })])
      await insertResults(db, [resultRow({ accountId, checkId })])
      await saveStatuses(db, [statusRow(accountId, checkId)])
      await insertMissedSlots(db, {
        id: newId(),
        checkId,
        fromDueAt: 1,
        untilDueAt: 2,
        slots: 2,
        reason: 'service-down',
      })
    }
    const left = async ({ id: checkId }: { id: string }) => [
      (await findChecksByIds(db, [checkId])).length,
      (await findRuns(db, [runRow({ checkId }).id])).length,
      (await listResults(db, accountId, checkId, { resultType: 'ALL' }, firstPage)).total,
      (await findStatus(db, accountId, checkId)) ? 1 : 0,
      (await listMissedSlots(db, checkId)).length,
    ]
    const [gone, stays] = checks
    expect(await deleteCheck(db, await addAccount(database), gone.id)).toBe(false)
    expect(await left(gone)).toEqual([1, 1, 1, 1, 1])
    expect(await deleteCheck(db, accountId, gone.id)).toBe(true)
    expect(await deleteCheck(db, accountId, gone.id)).toBe(false)
    expect(await left(gone)).toEqual([0, 0, 0, 0, 0])
    expect(await left(stays)).toEqual([1, 1, 1, 1, 1])
    expect(await checksUsingPrivateLocation(db, accountId, 'cellar')).toEqual([stays.id])
    expect((await listChecks(db, accountId, { tags: ['a'] }, firstPage)).total).toBe(1)
  })

  test('knows which of an account’s checks run at a private location', async () => {
    const database = await open()
    const [ours, theirs] = [await addAccount(database), await addAccount(database)]
    const here = await addCheck(database, ours, {}, { locations: ['cellar', 'eu-west-1', 'cellar'] })
    await addCheck(database, ours, {}, { locations: ['cellar-2'] })
    await addCheck(database, theirs, {}, { locations: ['cellar'] })
    expect(await checksUsingPrivateLocation(database.kysely, ours, 'cellar')).toEqual([here.id])
  })

  describe('a list', () => {
    test('has pages that cover it, newest first', async () => {
      const database = await open()
      const accountId = await addAccount(database)
      await addCheck(database, await addAccount(database))
      const rows = []
      for (const createdAt of [t0, t0 + 2, t0 + 1, t0 + 1, t0 + 1])
        rows.push(await addCheck(database, accountId, { createdAt }))
      const inOrder = rows.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1))
      const list = (offset: number) => listChecks(database.kysely, accountId, {}, { offset, limit: 2 })
      expect(await list(0)).toEqual({ rows: inOrder.slice(0, 2), total: 5 })
      expect(await list(2)).toEqual({ rows: inOrder.slice(2, 4), total: 5 })
      expect(await list(4)).toEqual({ rows: inOrder.slice(4), total: 5 })
      expect(await list(6)).toEqual({ rows: [], total: 5 })
    })

    test('is narrowed by each part of the filter, and by all of them together', async () => {
      const database = await open()
      const accountId = await addAccount(database)
      const add = async (
        name: string,
        url: string,
        tags: string[],
        flags: readonly [0 | 1, 0 | 1] | null,
      ) => {
        const { id } = await addCheck(database, accountId, { name, url }, { tags })
        const [hasFailures, isDegraded] = flags ?? [0, 0]
        if (flags)
          await saveStatuses(database.kysely, [statusRow(accountId, id, { hasFailures, isDegraded })])
      }
      await add('Shop ÄPFEL', 'https://shop.example/apples', ['shop', 'fruit'], [0, 0])
      await add('shop 100%', 'https://shop.example/a_b', ['shop'], [1, 1])
      await add('Blog', 'https://blog.example/axb', ['Shop'], [0, 1])
      await add('New', 'https://new.example/', [], null)
      const names = async (filter: CheckFilter) =>
        (await listChecks(database.kysely, accountId, filter, firstPage)).rows.map(({ name }) => name).sort()

      expect(await names({ search: 'SHOP' })).toEqual(['Shop ÄPFEL', 'shop 100%'])
      expect(await names({ search: 'äpfel' })).toEqual(['Shop ÄPFEL'])
      expect(await names({ search: '0%' })).toEqual(['shop 100%'])
      expect(await names({ search: '%' })).toEqual(['shop 100%'])
      expect(await names({ search: '\\' })).toEqual([])
      expect(await names({ urlPattern: 'a_b' })).toEqual(['shop 100%'])
      expect(await names({ tags: ['shop'] })).toEqual(['Shop ÄPFEL', 'shop 100%'])
      expect(await names({ tags: ['shop', 'fruit'] })).toEqual(['Shop ÄPFEL'])
      expect(await names({ status: 'passing' })).toEqual(['Shop ÄPFEL'])
      expect(await names({ status: 'failing' })).toEqual(['shop 100%'])
      expect(await names({ status: 'degraded' })).toEqual(['Blog'])
      expect(await names({ types: ['API'] })).toHaveLength(4)
      expect(await names({ types: ['TCP', 'DNS'] })).toEqual([])
      expect(
        await names({ types: ['API'], tags: ['shop'], search: 's', urlPattern: 'shop', status: 'failing' }),
      ).toEqual(['shop 100%'])
    })
  })

  describe('planning', () => {
    test('takes the checks that are due, the longest due first, and no more than asked for', async () => {
      const database = await open()
      const accountId = await addAccount(database)
      for (const nextDueAt of [t0 + 2, t0, t0 + 1, t0 + 3, null])
        await addCheck(database, accountId, { nextDueAt })
      const due = (limit: number) =>
        database.transaction(async (db) =>
          (await lockChecksDueBefore(db, engine, t0 + 2, limit)).map(({ nextDueAt }) => nextDueAt),
        )
      expect(await due(10)).toEqual([t0, t0 + 1, t0 + 2])
      expect(await due(2)).toEqual([t0, t0 + 1])
    })

    test('plans each check once when two servers plan at once', async () => {
      const database = await open()
      const accountId = await addAccount(database)
      const ids = []
      for (let n = 0; n < 10; n += 1) ids.push((await addCheck(database, accountId)).id)
      const turn = () =>
        database.transaction(async (db) => {
          const rows = await lockChecksDueBefore(db, engine, t0, 3)
          await setNextDueAts(db, new Map(rows.map(({ id }) => [id, t0 + 60_000])))
          return rows.map(({ id }) => id)
        })
      const planned = (await Promise.all([turn(), turn(), turn(), turn()])).flat()
      expect(planned.toSorted()).toEqual(ids.toSorted())
    })
  })
})
