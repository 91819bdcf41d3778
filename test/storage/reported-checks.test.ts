import { expect, test } from 'vitest'
import { listReportedChecks, type ReportedCheck } from '../../src/storage/reported-checks.ts'
import { forEachEngine } from '../support/databases.ts'
import { addAccount, addCheck, t0 } from '../support/storage-rows.ts'

forEachEngine((_engine, open) => {
  test('lists the checks of one account after another, newest first, with their tags in order', async () => {
    const database = await open()
    const db = database.kysely
    const [ours, theirs] = [await addAccount(database), await addAccount(database)]
    await addCheck(database, theirs, {}, { tags: ['a'] })
    const checks = []
    for (const n of [0, 0, 1, 2, 3])
      checks.push(await addCheck(database, ours, { createdAt: t0 + n }, { tags: ['z', `n${n}`, 'a'] }))
    const expected = checks.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1))
    const listed: ReportedCheck[] = []
    for (;;) {
      const next = await listReportedChecks(db, ours, { anyTag: [] }, { after: listed.at(-1), limit: 2 })
      listed.push(...next)
      if (next.length < 2) break
    }
    expect(listed.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
    expect(listed.at(0)?.tags).toEqual(['z', 'n3', 'a'])
  })

  test('lists those alone that are asked for', async () => {
    const database = await open()
    const db = database.kysely
    const accountId = await addAccount(database)
    const a = await addCheck(database, accountId, { createdAt: t0 + 2 }, { tags: ['a', 'b'] })
    const b = await addCheck(database, accountId, { createdAt: t0 + 1, activated: 0 }, { tags: ['b'] })
    await addCheck(database, accountId, {}, { tags: ['c'] })
    const ids = async (filter: Parameters<typeof listReportedChecks>[2]) =>
      (await listReportedChecks(db, accountId, filter, { after: undefined, limit: 9 })).map(({ id }) => id)
    expect(await ids({ anyTag: ['a', 'b'] })).toEqual([a.id, b.id])
    expect(await ids({ anyTag: ['b'], activated: 0 })).toEqual([b.id])
    expect(await ids({ anyTag: [], activated: 0 })).toEqual([b.id])
    expect(await ids({ anyTag: ['none'] })).toEqual([])
  })
})
