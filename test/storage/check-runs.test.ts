import { describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import {
  claimRuns,
  deleteDoneRunsBefore,
  dropPlannedRuns,
  enqueueRuns,
  findRuns,
  finishRun,
  unclaimedRuns,
} from '../../src/storage/check-runs.ts'
import { queueMetrics } from '../../src/storage/queue-metrics.ts'
import { releaseRuns, renewLeases } from '../../src/storage/run-leases.ts'
import { lockRuns, saveRuns } from '../../src/storage/settled-runs.ts'
import { forEachEngine } from '../support/databases.ts'
import { runRow, runRows, t0 } from '../support/storage-rows.ts'

const [agentId, otherAgentId] = [newId(), newId()]
/** Of data-center locations. */
const holder = { agentId, accountId: null, locations: ['eu-west-1'] }
const leased = { state: 'leased', agentId, leaseUntil: t0 + 60_000 } as const
const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id)

forEachEngine((engine, open) => {
  test('plans any number of runs, and gives each back as it was planned', async () => {
    const { kysely: db } = await open()
    const rows = runRows(1201)
    await enqueueRuns(db, rows)
    expect((await findRuns(db, idsOf(rows))).toSorted((a, b) => a.dueAt - b.dueAt)).toEqual(rows)
    await enqueueRuns(db, [])
    expect(await findRuns(db, [])).toEqual([])
  })

  test('planning a run again changes nothing, however far it has come', async () => {
    const { kysely: db } = await open()
    const row = runRow()
    await enqueueRuns(db, [row])
    await finishRun(db, row.id, { outcome: 'passed', reason: null, at: t0 })
    await enqueueRuns(db, [row, runRow({ dueAt: t0 + 1000 }), row])
    expect((await findRuns(db, [row.id]))[0]).toMatchObject({ state: 'done', outcome: 'passed' })
  })

  test('planning the same runs at once gives each run once', async () => {
    const { kysely: db } = await open()
    const rows = runRows(50)
    await Promise.all([enqueueRuns(db, rows), enqueueRuns(db, rows.toReversed()), enqueueRuns(db, rows)])
    expect(await findRuns(db, idsOf(rows))).toHaveLength(50)
  })

  describe('a lease', () => {
    test('is renewed for the runs that the agent still holds, and those alone', async () => {
      const { kysely: db } = await open()
      const held = runRow({ ...leased, dueAt: t0 })
      const others = [
        runRow({ ...leased, agentId: otherAgentId, dueAt: t0 + 1000 }),
        runRow({ dueAt: t0 + 2000 }),
        runRow({ state: 'done', agentId, dueAt: t0 + 3000 }),
        runRow({ ...leased, location: 'us-east-1', dueAt: t0 + 4000 }),
        runRow({ ...leased, dataCenter: 0, dueAt: t0 + 5000 }),
      ]
      await enqueueRuns(db, [held, ...others])
      const runIds = [...idsOf(others), newId(), held.id]
      expect(await renewLeases(db, { ...holder, runIds }, t0 + 90_000)).toEqual([held.id])
      const after = await findRuns(db, idsOf([held, ...others]))
      expect(new Set(after)).toEqual(new Set([{ ...held, leaseUntil: t0 + 90_000 }, ...others]))
    })

    test('is renewed for any number of runs', async () => {
      const { kysely: db } = await open()
      const rows = runRows(1100, leased)
      await enqueueRuns(db, rows)
      const held = await renewLeases(db, { ...holder, runIds: idsOf(rows) }, t0 + 90_000)
      expect(new Set(held)).toEqual(new Set(idsOf(rows)))
      expect(await renewLeases(db, { ...holder, runIds: [] }, t0)).toEqual([])
    })

    test('given back lets another agent have the run, and only the holder gives it back', async () => {
      const database = await open()
      const db = database.kysely
      const row = runRow({ ...leased, attempt: 2, attemptAt: t0 + 500, firstStartedAt: t0 })
      await enqueueRuns(db, [row])
      expect(await releaseRuns(db, { ...holder, agentId: otherAgentId, runIds: [row.id] })).toBe(0)
      expect(await releaseRuns(db, { ...holder, runIds: [row.id, newId()] })).toBe(1)
      expect(await releaseRuns(db, { ...holder, runIds: [row.id] })).toBe(0)
      const waiting = { ...row, state: 'pending', agentId: null, leaseUntil: null }
      expect(await findRuns(db, [row.id])).toEqual([waiting])
    })
  })

  test('is renewed and settled at once, in whatever order, without one failing the other', async () => {
    const database = await open()
    const rows = runRows(20).map((row) => ({ ...row, ...leased, checkId: newId() }))
    await enqueueRuns(database.kysely, rows)
    const settle = database.transaction(async (db) => {
      const held = await lockRuns(db, idsOf(rows))
      await saveRuns(
        db,
        held.map((run) => ({ ...run, state: 'done', outcome: 'passed' })),
      )
    })
    const renewals = Array.from({ length: 5 }, () =>
      renewLeases(database.kysely, { ...holder, runIds: idsOf(rows) }, t0 + 90_000),
    )
    await expect(Promise.all([settle, ...renewals])).resolves.toBeDefined()
  })

  describe('a final outcome', () => {
    test('comes once: whatever follows changes nothing', async () => {
      const { kysely: db } = await open()
      const row = runRow(leased)
      await enqueueRuns(db, [row])
      expect(await finishRun(db, newId(), { outcome: 'passed', reason: null, at: t0 })).toBe(false)
      expect(await finishRun(db, row.id, { outcome: 'errored', reason: 'agent-fault', at: t0 })).toBe(true)
      expect(await finishRun(db, row.id, { outcome: 'passed', reason: null, at: t0 })).toBe(false)
      expect(await findRuns(db, [row.id])).toEqual([
        {
          ...row,
          state: 'done',
          outcome: 'errored',
          reason: 'agent-fault',
          leaseUntil: null,
          finishedAt: t0,
        },
      ])
    })

    test('is given by one of many who give it at once', async () => {
      const database = await open()
      const row = runRow(leased)
      await enqueueRuns(database.kysely, [row])
      const finish = () =>
        database.transaction((db) => finishRun(db, row.id, { outcome: 'passed', reason: null, at: t0 }))
      const finished = await Promise.all(Array.from({ length: 6 }, finish))
      expect(finished.filter(Boolean)).toHaveLength(1)
    })
  })

  describe('runs that nobody came for', () => {
    test('are those that waited, or whose lease ended, before the given time', async () => {
      const { kysely: db } = await open()
      const waiting = runRow({ dueAt: t0 - 2000 })
      const abandoned = runRow({ ...leased, dueAt: t0 - 1000, leaseUntil: t0 - 1 })
      const others = [
        runRow({ dueAt: t0 }),
        runRow({ ...leased, dueAt: t0 - 3000, leaseUntil: t0 }),
        runRow({ dueAt: t0 - 4000, attempt: 2, attemptAt: t0 + 1 }),
        runRow({ dueAt: t0 - 5000, state: 'done', outcome: 'passed' }),
      ]
      await enqueueRuns(db, [...others, abandoned, waiting])
      expect(await unclaimedRuns(db, { attemptBefore: t0, claimedBefore: 0, limit: 10 })).toEqual([
        waiting,
        abandoned,
      ])
      expect(await unclaimedRuns(db, { attemptBefore: t0, claimedBefore: 0, limit: 1 })).toEqual([waiting])
    })

    test('are missed or claimed, never both', async () => {
      const database = await open()
      const rows = runRows(30)
      await enqueueRuns(database.kysely, rows)
      const expire = database.transaction(async (db) => {
        const expired = await unclaimedRuns(db, { attemptBefore: t0 + 60_000, claimedBefore: 0, limit: 20 })
        for (const { id } of expired)
          await finishRun(db, id, { outcome: 'missed', reason: 'not-claimed', at: t0 })
        return expired
      })
      const claim = database.transaction((db) =>
        claimRuns(db, engine, {
          accountId: null,
          locations: ['eu-west-1'],
          checkTypes: ['API'],
          runtimes: [],
          agentId,
          now: t0,
          dueBefore: t0 + 60_000,
          leaseUntil: t0 + 60_000,
          limit: 20,
        }),
      )
      const [missed, claimed] = await Promise.all([expire, claim])
      const both = [...idsOf(missed), ...idsOf(claimed)]
      expect(new Set(both).size).toBe(both.length)
      expect(both).toHaveLength(30)
    })
  })

  test('drops what was planned for later and not begun, or was never to begin', async () => {
    const { kysely: db } = await open()
    const later = runRow({ dueAt: t0 + 1 })
    const skipped = runRow({ dueAt: t0 + 5, state: 'done', outcome: 'missed', reason: 'maintenance' })
    const kept = [
      runRow({ dueAt: t0 }),
      runRow({ ...leased, dueAt: t0 + 2 }),
      runRow({ dueAt: t0 + 3, attempt: 2 }),
      runRow({ dueAt: t0 + 4, state: 'done', outcome: 'missed', finishedAt: t0 }),
      runRow({ dueAt: t0 + 6, sessionId: 'a session' }),
      runRow({ dueAt: t0 + 1, checkId: 'another check' }),
    ]
    const rows = [later, skipped, ...kept]
    await enqueueRuns(db, rows)
    await dropPlannedRuns(db, later.checkId, t0)
    expect(new Set(await findRuns(db, idsOf(rows)))).toEqual(new Set(kept))
  })

  test('measures the queue of each account and location', async () => {
    const { kysely: db } = await open()
    const ours = { accountId: 'ours', location: 'cellar', dataCenter: 0 } as const
    await enqueueRuns(db, [
      runRow({ ...ours, dueAt: t0 - 20 }),
      runRow({ ...ours, dueAt: t0 - 10 }),
      runRow({ ...ours, dueAt: t0 + 1 }),
      runRow({ ...ours, ...leased, dueAt: t0 - 30 }),
      runRow({ ...ours, accountId: 'theirs', checkId: 'their check', dueAt: t0 }),
      runRow({ accountId: 'ours', dueAt: t0 - 5 }),
    ])
    expect(await queueMetrics(db, t0)).toEqual([
      { ...ours, queueSize: 2, oldestScheduledAt: t0 - 20 },
      { accountId: 'ours', location: 'eu-west-1', dataCenter: 1, queueSize: 1, oldestScheduledAt: t0 - 5 },
      { ...ours, accountId: 'theirs', queueSize: 1, oldestScheduledAt: t0 },
    ])
  })

  test('deletes what is done and old, in more than one batch, and nothing that is open', async () => {
    const { kysely: db } = await open()
    const done = runRows(1201, { state: 'done', outcome: 'passed' })
    const openRun = runRow({ dueAt: t0 - 1 })
    await enqueueRuns(db, [...done, openRun])
    expect(await deleteDoneRunsBefore(db, t0 + 1100 * 1000)).toBe(1100)
    expect(await deleteDoneRunsBefore(db, t0 + 1100 * 1000)).toBe(0)
    expect(await findRuns(db, idsOf([...done, openRun]))).toHaveLength(102)
  })
})
