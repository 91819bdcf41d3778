import { expect, test } from 'vitest'
import { enqueueRuns, finishRun, renewLeases } from '../../src/storage/check-runs.ts'
import { deleteCheck } from '../../src/storage/checks.ts'
import { renewDefinitions } from '../../src/storage/renew-definitions.ts'
import { forEachEngine } from '../support/databases.ts'
import { addAccount, addCheck, runRow, runRows, t0 } from '../support/storage-rows.ts'

forEachEngine((_engine, open) => {
  test('gives each check of the account a new version, and its open runs name it', async () => {
    const database = await open()
    const db = database.kysely
    const [ours, theirs] = [await addAccount(database), await addAccount(database)]
    const checks = [
      await addCheck(database, ours, { version: 3 }),
      await addCheck(database, ours, { version: 7, activated: 0, nextDueAt: null }),
      await addCheck(database, theirs, { version: 5 }),
    ]
    for (const { id: checkId, accountId, version } of checks) {
      const leased = { state: 'leased', agentId: 'an agent', leaseUntil: t0, dueAt: t0 + 1 } as const
      const done = { state: 'done', outcome: 'passed', dueAt: t0 + 2 } as const
      const changes = { checkId, accountId, version }
      await enqueueRuns(db, [
        runRow(changes),
        runRow({ ...changes, ...leased }),
        runRow({ ...changes, ...done }),
      ])
    }
    const before = await db.selectFrom('checks').selectAll().execute()
    await renewDefinitions(db, ours)
    const versions = async (checkId: string) => {
      const runs = await db
        .selectFrom('checkRuns')
        .select('version')
        .where('checkId', '=', checkId)
        .orderBy('dueAt')
        .execute()
      const check = await db
        .selectFrom('checks')
        .select('version')
        .where('id', '=', checkId)
        .executeTakeFirstOrThrow()
      return [check.version, runs.map(({ version }) => version)]
    }
    expect(await Promise.all(checks.map(({ id }) => versions(id)))).toEqual([
      [4, [4, 4, 3]],
      [8, [8, 8, 7]],
      [5, [5, 5, 5]],
    ])
    const unversioned = (rows: typeof before) => new Set(rows.map(({ version: _version, ...row }) => row))
    expect(unversioned(await db.selectFrom('checks').selectAll().execute())).toEqual(unversioned(before))
  })

  test('goes on beside leases that are renewed, runs that end and checks that are deleted', async () => {
    const database = await open()
    const accountId = await addAccount(database)
    const checks = await Promise.all(Array.from({ length: 6 }, () => addCheck(database, accountId)))
    const leased = { state: 'leased', agentId: 'an agent', leaseUntil: t0, accountId } as const
    const runs = checks.flatMap(({ id: checkId }) => runRows(150, { checkId, ...leased }))
    await enqueueRuns(database.kysely, runs)
    const runIds = runs.map(({ id }) => id).toSorted()
    const holder = { agentId: 'an agent', accountId: null, locations: ['eu-west-1'], runIds }
    const renewals = 12
    await Promise.all([
      ...Array.from({ length: renewals }, () =>
        database.transaction((db) => renewDefinitions(db, accountId)),
      ),
      ...Array.from({ length: 24 }, () => renewLeases(database.kysely, holder, t0 + 1)),
      ...runIds
        .slice(0, 30)
        .map((id) => finishRun(database.kysely, id, { outcome: 'passed', reason: null, at: t0 })),
      ...checks.slice(0, 2).map(({ id }) => database.transaction((db) => deleteCheck(db, accountId, id))),
    ])
    const left = await database.kysely
      .selectFrom('checkRuns')
      .innerJoin('checks', 'checks.id', 'checkRuns.checkId')
      .select(['checkRuns.version as named', 'checks.version as held', 'state'])
      .execute()
    const open_ = left.filter(({ state }) => state !== 'done')
    expect(new Set(left.map(({ held }) => held))).toEqual(new Set([1 + renewals]))
    expect(open_.length).toBeGreaterThan(0)
    expect(new Set(open_.map(({ named }) => named))).toEqual(new Set([1 + renewals]))
  }, 20_000)
})
