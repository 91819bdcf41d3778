import { expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { type Claim, claimRuns, enqueueRuns, findRuns, nextAttemptAt } from '../../src/storage/check-runs.ts'
import type { Database } from '../../src/storage/database.ts'
import { forEachEngine, openFresh } from '../support/databases.ts'
import { runRow, runRows, t0 } from '../support/storage-rows.ts'

const agentId = newId()
const anyRun: Claim = {
  accountId: null,
  locations: ['eu-west-1'],
  checkTypes: ['API'],
  runtimes: ['2026.04'],
  agentId,
  now: t0,
  dueBefore: t0 + 2000,
  leaseUntil: t0 + 60_000,
  limit: 100,
}
const claim = (database: Database, changes: Partial<Claim> = {}) =>
  database.transaction((db) => claimRuns(db, database.engine, { ...anyRun, ...changes }))

forEachEngine((_engine, open) => {
  test('leases the runs that are due until the given time, the oldest first', async () => {
    const database = await open()
    const [first, second, last, later] = [
      runRow({ dueAt: t0 - 1 }),
      runRow({ dueAt: t0 }),
      runRow({ dueAt: t0 + 2000 }),
      runRow({ dueAt: t0 + 2001 }),
    ]
    await enqueueRuns(database.kysely, [later, last, first, second])
    const lease = { state: 'leased', agentId, leaseUntil: t0 + 60_000 }
    expect(await claim(database, { limit: 2 })).toEqual([
      { ...first, ...lease },
      { ...second, ...lease },
    ])
    expect(await claim(database)).toEqual([{ ...last, ...lease }])
    expect(await claim(database)).toEqual([])
    expect(await findRuns(database.kysely, [later.id])).toEqual([later])
  })

  test('gives each run to one claimer only', async () => {
    const database = await open()
    const rows = runRows(200)
    await enqueueRuns(database.kysely, rows)
    const claims = Array.from({ length: 8 }, () =>
      claim(database, { agentId: newId(), dueBefore: t0 + 300_000, limit: 40 }),
    )
    const claimed = (await Promise.all(claims)).flat().map(({ id }) => id)
    expect(claimed).toHaveLength(new Set(claimed).size)
    const rest = await claim(database, { dueBefore: t0 + 300_000, limit: 200 })
    expect(new Set([...claimed, ...rest.map(({ id }) => id)]).size).toBe(200)
    expect(claimed.length + rest.length).toBe(200)
  })

  test('gives a run to another when its lease has ended, not before', async () => {
    const database = await open()
    const row = runRow({ state: 'leased', agentId: newId(), leaseUntil: t0 + 10 })
    await enqueueRuns(database.kysely, [row])
    expect(await claim(database, { now: t0 + 9 })).toEqual([])
    expect(await claim(database, { now: t0 + 10 })).toEqual([{ ...row, agentId, leaseUntil: t0 + 60_000 }])
  })

  test('gives a retry to another agent when it is time for it', async () => {
    const database = await open()
    const gone = { state: 'leased', agentId: newId(), leaseUntil: t0 - 1 } as const
    const row = runRow({ ...gone, attempt: 2, attemptAt: t0 + 2001, firstStartedAt: t0 - 500 })
    await enqueueRuns(database.kysely, [row])
    expect(await claim(database)).toEqual([])
    expect(await claim(database, { dueBefore: t0 + 2001 })).toMatchObject([{ id: row.id, attempt: 2 }])
  })

  test('never gives a run that is done', async () => {
    const database = await open()
    await enqueueRuns(database.kysely, [runRow({ state: 'done', outcome: 'passed', leaseUntil: t0 - 1 })])
    expect(await claim(database)).toEqual([])
  })

  test('gives an agent the runs of its locations, check types and runtimes', async () => {
    const database = await open()
    const runs = {
      elsewhere: runRow({ location: 'us-east-1' }),
      otherType: runRow({ checkId: '1', checkType: 'TCP' }),
      scripted: runRow({ checkId: '2', runtime: '2026.04' }),
      oldRuntime: runRow({ checkId: '3', runtime: '2022.10' }),
      plain: runRow({ checkId: '4' }),
    }
    await enqueueRuns(database.kysely, Object.values(runs))
    const names = async (changes: Partial<Claim>) => {
      const claimed = await claim(database, { ...changes, leaseUntil: t0 })
      return Object.entries(runs).flatMap(([name, run]) =>
        claimed.some(({ id }) => id === run.id) ? [name] : [],
      )
    }
    expect(await names({})).toEqual(['scripted', 'plain'])
    expect(await names({ runtimes: [] })).toEqual(['plain'])
    expect(await names({ checkTypes: ['TCP', 'DNS'] })).toEqual(['otherType'])
    expect(await names({ locations: ['us-east-1', 'eu-west-1'] })).toEqual(['elsewhere', 'scripted', 'plain'])
    expect(await names({ locations: [] })).toEqual([])
    expect(await names({ checkTypes: [] })).toEqual([])
  })

  test('keeps accounts apart at private locations of the same slug', async () => {
    const database = await open()
    const cellar = { location: 'cellar', dataCenter: 0 } as const
    const ours = runRow({ ...cellar, accountId: 'ours', checkId: '1' })
    const theirs = runRow({ ...cellar, accountId: 'theirs', checkId: '2' })
    await enqueueRuns(database.kysely, [ours, theirs])
    expect(await claim(database, { locations: ['cellar'] })).toEqual([])
    expect(await claim(database, { locations: ['cellar'], accountId: 'ours' })).toMatchObject([
      { id: ours.id },
    ])
  })

  test('serves every account at a data-center location', async () => {
    const database = await open()
    await enqueueRuns(database.kysely, [
      runRow({ accountId: 'ours', checkId: '1' }),
      runRow({ accountId: 'theirs', checkId: '2' }),
    ])
    expect(await claim(database)).toHaveLength(2)
  })

  test('tells when the next attempt waits for an agent like this one', async () => {
    const database = await open()
    const db = database.kysely
    expect(await nextAttemptAt(db, anyRun)).toBeNull()
    await enqueueRuns(db, [
      runRow({ dueAt: t0 + 9000 }),
      runRow({ dueAt: t0, attempt: 2, attemptAt: t0 + 7000 }),
      runRow({ dueAt: t0 + 1000, location: 'us-east-1' }),
      runRow({ dueAt: t0 + 2000, checkType: 'TCP' }),
      runRow({ dueAt: t0 + 3000, state: 'leased', agentId, leaseUntil: t0 + 60_000 }),
      runRow({ dueAt: t0 + 4000, state: 'done', outcome: 'passed' }),
    ])
    expect(await nextAttemptAt(db, anyRun)).toBe(t0 + 7000)
    expect(await nextAttemptAt(db, { ...anyRun, locations: [] })).toBeNull()
  })
})

// SQLite has one transaction at a time: there a claim waits for the one before it.
test('on PostgreSQL a claim waits for no other that is still under way', async () => {
  const database = await openFresh('postgres')
  await enqueueRuns(database.kysely, runRows(10))
  await database.transaction(async (db) => {
    const mine = await claimRuns(db, 'postgres', { ...anyRun, dueBefore: t0 + 60_000, limit: 6 })
    const theirs = await claim(database, { dueBefore: t0 + 60_000, limit: 6 })
    expect([mine.length, theirs.length]).toEqual([6, 4])
  })
})
