import { expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { claimRuns, enqueueRuns } from '../../src/storage/check-runs.ts'
import { updateCheck } from '../../src/storage/checks.ts'
import type { Database } from '../../src/storage/database.ts'
import { findDefinedChecks, renewDefinitions } from '../../src/storage/definition-versions.ts'
import { forEachEngine } from '../support/databases.ts'
import { addAccount, addCheck, runRow, t0 } from '../support/storage-rows.ts'

const anyRun = {
  agentId: 'an agent',
  accountId: null,
  locations: ['eu-west-1'],
  checkTypes: ['API'],
  runtimes: [],
  now: t0,
  dueBefore: t0,
  leaseUntil: t0,
  limit: 100,
}
const claim = (database: Database) => database.transaction((db) => claimRuns(db, database.engine, anyRun))
const heldVersion = async ({ kysely }: Database, id: string) =>
  (await findDefinedChecks(kysely, [id]))[0]?.definitionVersion

forEachEngine((_engine, open) => {
  test('a change of what all checks share renews each definition of the account, and writes no check', async () => {
    const database = await open()
    const [ours, theirs] = [await addAccount(database), await addAccount(database)]
    const checks = [
      await addCheck(database, ours, { version: 3 }),
      await addCheck(database, ours, { version: 7 }),
      await addCheck(database, theirs, { version: 5 }),
    ]
    const versions = () => Promise.all(checks.map(({ id }) => heldVersion(database, id)))
    expect(await versions()).toEqual([3, 7, 5])
    await renewDefinitions(database.kysely, ours)
    await renewDefinitions(database.kysely, ours)
    expect(await versions()).toEqual([5, 9, 5])
    const ids = checks.map(({ id }) => id)
    const rows = await database.kysely.selectFrom('checks').selectAll().where('id', 'in', ids).execute()
    expect(new Set(rows)).toEqual(new Set(checks))
  })

  test('a claimed run names the version that its definition has then, also when it was planned or claimed before', async () => {
    const database = await open()
    const accountId = await addAccount(database)
    const check = await addCheck(database, accountId, { version: 3 })
    await enqueueRuns(database.kysely, [runRow({ accountId, checkId: check.id, version: 3 })])
    const named = async () => (await claim(database)).map(({ version }) => version)
    expect(await named()).toEqual([3])
    await renewDefinitions(database.kysely, accountId)
    expect(await named()).toEqual([4])
    await updateCheck(database.kysely, check, { tags: [], locations: [] })
    expect(await named()).toEqual([5])
    expect(await heldVersion(database, check.id)).toBe(5)
  })

  test('a run whose check is gone is claimed in the version that it was planned in', async () => {
    const database = await open()
    await enqueueRuns(database.kysely, [runRow({ checkId: newId(), version: 6 })])
    expect((await claim(database)).map(({ version }) => version)).toEqual([6])
  })

  test('of many changes at once each counts', async () => {
    const database = await open()
    const accountId = await addAccount(database)
    const { id } = await addCheck(database, accountId)
    const renew = () => database.transaction((db) => renewDefinitions(db, accountId))
    await Promise.all(Array.from({ length: 12 }, renew))
    expect(await heldVersion(database, id)).toBe(13)
  })
})
