import { expect, test } from 'vitest'
import { renewDefinitions } from '../../src/storage/definition-versions.ts'
import { scheduledChecks } from '../../src/storage/scheduled-checks.ts'
import { forEachEngine } from '../support/databases.ts'
import { addAccount, addCheck, t0 } from '../support/storage-rows.ts'

forEachEngine((_engine, open) => {
  test('names the checks that are planned, of an account or of all, with the version of their definitions', async () => {
    const database = await open()
    const db = database.kysely
    const [ours, theirs] = [await addAccount(database), await addAccount(database, 'Theirs')]
    const planned = { nextDueAt: t0, type: 'API' }
    const first = await addCheck(database, ours, { ...planned, version: 3 })
    const second = await addCheck(database, theirs, { ...planned, version: 1 })
    await addCheck(database, ours, { ...planned, nextDueAt: null })
    await addCheck(database, ours, { ...planned, type: 'BROWSER' })
    await renewDefinitions(db, theirs)

    const filter = { accountId: null, checkTypes: ['API', 'TCP'] }
    const all = [
      { id: first.id, accountId: ours, version: 3 },
      { id: second.id, accountId: theirs, version: 2 },
    ].toSorted((a, b) => (a.id < b.id ? -1 : 1))
    expect(await scheduledChecks(db, filter)).toEqual(all)
    expect(await scheduledChecks(db, { ...filter, accountId: theirs })).toEqual([
      { id: second.id, accountId: theirs, version: 2 },
    ])
    expect(await scheduledChecks(db, { ...filter, checkTypes: [] })).toEqual([])
  })
})
