import { expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { claimRuns, enqueueRuns, findRuns, finishRun } from '../../src/storage/check-runs.ts'
import { deleteCheck } from '../../src/storage/checks.ts'
import type { Database } from '../../src/storage/database.ts'
import type { Schema } from '../../src/storage/schema.ts'
import {
  findRunsOfDefinitions,
  letStalledRuns,
  listRunsOfSession,
  listRunsOfSessions,
} from '../../src/storage/session-runs.ts'
import {
  cancelSession,
  deleteSessionsBefore,
  findSession,
  insertSessions,
} from '../../src/storage/sessions.ts'
import { forEachEngine } from '../support/databases.ts'
import { plansOf } from '../support/query-plans.ts'
import { addAccount, addCheck, runRow, t0 } from '../support/storage-rows.ts'

function sessionRow(accountId: string, changes: Partial<Schema['sessions']> = {}): Schema['sessions'] {
  return {
    id: newId(),
    accountId,
    kind: 'test',
    checkId: null,
    name: 'before the release',
    runSource: null,
    definition: '{}',
    startedAt: t0,
    cancelledAt: null,
    ...changes,
  }
}

/** Runs of one session: those of these states, in this order. */
async function addRuns(database: Database, sessionId: string, states: readonly ('held' | 'pending')[]) {
  const rows = states.map((state, index) =>
    runRow({ checkId: newId(), sessionId, state, attemptAt: t0 + index }),
  )
  await enqueueRuns(database.kysely, rows)
  return rows.map(({ id }) => id)
}

const passed = { outcome: 'passed', reason: null, at: t0 + 60_000 } as const

forEachEngine((_engine, open) => {
  test('a session is found by its account and kind alone, and keeps when it was called off', async () => {
    const database = await open()
    const db = database.kysely
    const [ours, theirs] = [await addAccount(database), await addAccount(database)]
    const row = sessionRow(ours)
    await insertSessions(db, [row, sessionRow(theirs)])
    expect(await findSession(db, ours, 'test', row.id)).toEqual(row)
    expect(await findSession(db, ours, 'check', row.id)).toBeUndefined()
    expect(await findSession(db, theirs, 'test', row.id)).toBeUndefined()
    await cancelSession(db, row.id, t0 + 5)
    expect(await findSession(db, ours, 'test', row.id)).toEqual({ ...row, cancelledAt: t0 + 5 })
  })

  test('goes with its check, and when it is old', async () => {
    const database = await open()
    const db = database.kysely
    const accountId = await addAccount(database)
    const { id: checkId } = await addCheck(database, accountId)
    const ofCheck = sessionRow(accountId, { kind: 'check', checkId })
    const [old, recent] = [sessionRow(accountId), sessionRow(accountId, { startedAt: t0 + 1 })]
    await insertSessions(db, [ofCheck, old, recent])
    expect(await deleteCheck(db, accountId, checkId)).toBe(true)
    expect(await findSession(db, accountId, 'check', ofCheck.id)).toBeUndefined()
    expect(await deleteSessionsBefore(db, t0 + 1)).toBe(1)
    expect(await findSession(db, accountId, 'test', old.id)).toBeUndefined()
    expect(await findSession(db, accountId, 'test', recent.id)).toBeDefined()
  })

  test('tells the runs of sessions, and those that go by a definition of their own', async () => {
    const database = await open()
    const db = database.kysely
    const own = runRow({ sessionId: 's', definitionId: 'd', checkId: 'a' })
    const other = runRow({ sessionId: 't', checkId: 'b' })
    await enqueueRuns(db, [own, other, runRow({ checkId: 'c' })])
    expect(await listRunsOfSession(db, 's')).toEqual([own])
    expect((await listRunsOfSessions(db, ['s', 't', 'u'])).map(({ id }) => id).toSorted()).toEqual(
      [own.id, other.id].toSorted(),
    )
    expect(await findRunsOfDefinitions(db, ['d', 'e'])).toEqual([own])
  })

  test('a held run is nobody’s until another of its session ends, and is due then', async () => {
    const database = await open()
    const [first = '', second = '', third = ''] = await addRuns(database, 's', ['pending', 'held', 'held'])
    await addRuns(database, 'another', ['held'])
    const reach = { accountId: null, locations: ['eu-west-1'], checkTypes: ['API'], runtimes: [] }
    const claim = { ...reach, agentId: 'a', now: t0, dueBefore: t0 * 2, leaseUntil: t0 + 1, limit: 9 }
    const claimed = () => database.transaction((db) => claimRuns(db, database.engine, claim))
    expect((await claimed()).map(({ id }) => id)).toEqual([first])
    await database.transaction((db) => finishRun(db, first, passed))
    expect(await claimed()).toMatchObject([{ id: second, dueAt: passed.at, attemptAt: passed.at }])
    expect(await findRuns(database.kysely, [first, third])).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: first, state: 'done', finishedAt: passed.at }),
        expect.objectContaining({ id: third, state: 'held', finishedAt: null }),
      ]),
    )
  })

  test('of many that end at once at least one lets another, and none is left held', async () => {
    const database = await open()
    const states = Array.from({ length: 8 }, (_, index) =>
      index < 4 ? ('pending' as const) : ('held' as const),
    )
    await addRuns(database, 's', states)
    for (;;) {
      const runs = await listRunsOfSession(database.kysely, 's')
      const pending = runs.filter(({ state }) => state === 'pending')
      if (pending.length === 0) break
      await Promise.all(pending.map(({ id }) => database.transaction((db) => finishRun(db, id, passed))))
    }
    const runs = await listRunsOfSession(database.kysely, 's')
    expect(runs.map(({ state }) => state)).toEqual(Array.from({ length: 8 }, () => 'done'))
  })

  test('lets a run of each session that holds some while none is under way, and finds them by an index', async () => {
    const database = await open()
    const [stalled] = await addRuns(database, 's', ['held', 'held'])
    await addRuns(database, 'under way', ['pending', 'held'])
    await database.transaction((db) => letStalledRuns(db, t0 + 5))
    const pending = await database.kysely
      .selectFrom('checkRuns')
      .selectAll()
      .where('state', '=', 'pending')
      .where('sessionId', '=', 's')
      .execute()
    expect(pending).toMatchObject([{ id: stalled, dueAt: t0 + 5, attemptAt: t0 + 5 }])
    const [plan] = await plansOf(database, (db) => letStalledRuns(db, t0))
    expect(plan).toContain('check_runs_held')
  })
})
