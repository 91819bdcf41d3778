import { expect, test } from 'vitest'
import { findStatus, listStatuses, lockStatuses, saveStatuses } from '../../src/storage/check-statuses.ts'
import { listChecks } from '../../src/storage/checks.ts'
import type { Database } from '../../src/storage/database.ts'
import { forEachEngine } from '../support/databases.ts'
import { addAccount, addCheck, statusRow, t0 } from '../support/storage-rows.ts'

/** One fold: what was counted so far, and one more. */
function countOne(database: Database, accountId: string, checkId: string): Promise<void> {
  return database.transaction(async (db) => {
    const previous = (await lockStatuses(db, [checkId])).get(checkId)
    const count = previous ? Number(previous.status) : 0
    await saveStatuses(db, [statusRow(accountId, checkId, { status: String(count + 1) })])
  })
}

forEachEngine((_engine, open) => {
  test('has no status of a check that never ran', async () => {
    const database = await open()
    const check = await addCheck(database, await addAccount(database))
    expect(await findStatus(database.kysely, check.accountId, check.id)).toBeUndefined()
    expect(await listStatuses(database.kysely, check.accountId)).toEqual([])
  })

  test('gives a status back as it was saved last, to its own account alone', async () => {
    const database = await open()
    const db = database.kysely
    const check = await addCheck(database, await addAccount(database))
    const row = statusRow(check.accountId, check.id)
    await saveStatuses(db, [row])
    const changed = {
      ...row,
      status: '{"a":1}',
      hasFailures: 1,
      isDegraded: 1,
      hasErrors: 1,
      updatedAt: t0 + 9,
    } as const
    await saveStatuses(db, [changed])
    expect(await findStatus(db, check.accountId, check.id)).toEqual(changed)
    expect(await findStatus(db, 'another account', check.id)).toBeUndefined()
  })

  test('loses no fold when many fold at once, the first ones included', async () => {
    const database = await open()
    const check = await addCheck(database, await addAccount(database))
    const eightTimes = (work: () => Promise<unknown>) => Promise.all(Array.from({ length: 8 }, work))
    // Opens the connections, so that none of the folds is late for that.
    await eightTimes(() => findStatus(database.kysely, check.accountId, check.id))
    await eightTimes(() => countOne(database, check.accountId, check.id))
    expect((await findStatus(database.kysely, check.accountId, check.id))?.status).toBe('8')
  })

  test('a lock alone is no status', async () => {
    const database = await open()
    const db = database.kysely
    const check = await addCheck(database, await addAccount(database))
    await database.transaction((tx) => lockStatuses(tx, [check.id]))
    expect(await findStatus(db, check.accountId, check.id)).toBeUndefined()
    expect(await listStatuses(db, check.accountId)).toEqual([])
    const page = { offset: 0, limit: 10 }
    expect((await listChecks(db, check.accountId, { status: 'passing' }, page)).total).toBe(0)
    const row = statusRow(check.accountId, check.id)
    await saveStatuses(db, [row])
    expect(await findStatus(db, check.accountId, check.id)).toEqual(row)
  })

  test('locks nothing for a check that does not exist', async () => {
    const database = await open()
    expect(await database.transaction((db) => lockStatuses(db, ['no check']))).toEqual(new Map())
  })

  test('lists the statuses of an account with the names of its checks, newest check first', async () => {
    const database = await open()
    const [ours, theirs] = [await addAccount(database), await addAccount(database)]
    const older = await addCheck(database, ours, { name: 'Older', createdAt: t0 })
    const newer = await addCheck(database, ours, { name: 'Newer', createdAt: t0 + 1 })
    const foreign = await addCheck(database, theirs)
    for (const { accountId, id } of [older, newer, foreign])
      await saveStatuses(database.kysely, [statusRow(accountId, id)])
    expect(await listStatuses(database.kysely, ours)).toEqual([
      { ...statusRow(ours, newer.id), name: 'Newer' },
      { ...statusRow(ours, older.id), name: 'Older' },
    ])
  })
})
