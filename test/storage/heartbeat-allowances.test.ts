import { expect, test } from 'vitest'
import { heartbeatAvailability, heartbeatFigures } from '../../src/server/figures/heartbeat-figures.ts'
import { allowancesOf } from '../../src/server/heartbeats/allowances.ts'
import { enqueueRuns } from '../../src/storage/check-runs.ts'
import { failedRunsAfter } from '../../src/storage/failed-runs.ts'
import { addHeartbeatEvents } from '../../src/storage/heartbeat-pings.ts'
import { expectPingsOf, lockHeartbeatsOfTokens } from '../../src/storage/heartbeats.ts'
import { forEachEngine } from '../support/databases.ts'
import { addHeartbeat } from '../support/heartbeat-rows.ts'
import { plansOf } from '../support/query-plans.ts'
import { addAccount, addCheck, runRow, t0 } from '../support/storage-rows.ts'

forEachEngine((_engine, open) => {
  test('the figures of many heartbeats are each their own, of the window alone', async () => {
    const database = await open()
    const accountId = await addAccount(database)
    const event = (checkId: string, at: number, state: 'EARLY' | 'FAILING' | 'LATE') => ({
      ...{ id: `${checkId} ${at}`, accountId, checkId, state, at, pings: 1 },
      ...{ source: null, userAgent: null, durationMs: null, exitCode: null, body: null },
    })
    const ids = Array.from({ length: 45 }, (_, index) => `check ${index}`)
    const events = ids.flatMap((id, index) => [
      event(id, t0 - 1, 'FAILING'),
      event(id, t0, 'FAILING'),
      event(id, t0 + 1, 'LATE'),
      ...Array.from({ length: index }, (_, ping) => event(id, t0 + 2 + ping, 'EARLY')),
      event(id, t0 + 100, 'FAILING'),
    ])
    await addHeartbeatEvents(database.kysely, events)
    const figureOf = await heartbeatFigures(database.kysely, [...ids, 'none'], { from: t0, to: t0 + 100 })
    for (const [index, id] of ids.entries()) expect(figureOf(id)).toEqual({ inTime: index, failed: 1 })
    expect(heartbeatAvailability(figureOf('check 2'))).toBe(66.6667)
    expect(heartbeatAvailability(figureOf('none'))).toBeNull()
  })

  test('only runs of the heartbeat itself that failed speak against one that is run', async () => {
    const database = await open()
    const accountId = await addAccount(database)
    const { id: checkId } = await addCheck(database, accountId, { type: 'HEARTBEAT', nextDueAt: t0 })
    const run = (after: number, outcome: 'failed' | 'passed' | 'errored' | 'missed' | null, changes = {}) =>
      runRow({
        accountId,
        checkId,
        dueAt: t0 + after,
        outcome,
        state: outcome ? 'done' : 'leased',
        ...changes,
      })
    await enqueueRuns(database.kysely, [
      run(0, 'failed'),
      run(50, 'failed'),
      run(10, 'failed'),
      run(20, 'errored'),
      run(30, 'missed'),
      run(40, 'passed'),
      run(60, null),
      run(70, 'failed', { definitionId: 'a test' }),
    ])
    const row = await addHeartbeat(database, accountId)
    const given = { since: t0, unrecorded: null }
    const of = await allowancesOf(database.kysely, [row, { ...row, checkId }], given)
    expect(of({ ...row, checkId }).failedRunsAt).toEqual([t0 + 10, t0 + 50])
    expect(of(row).failedRunsAt).toBeUndefined()
    const anchored = { ...row, checkId, anchorAt: t0 + 10 }
    const later = await allowancesOf(database.kysely, [row, anchored], given)
    expect(later(anchored).failedRunsAt).toEqual([t0 + 50])
    const [plan] = await plansOf(database, (db) => failedRunsAfter(db, [checkId], t0))
    expect(plan).toContain('check_runs_of_check')
  })

  test('a run that failed has its heartbeat looked at where it expects a ping, and no other', async () => {
    const database = await open()
    const accountId = await addAccount(database)
    const later = { deadlineAt: t0 + 9_000_000 }
    const rows = [
      await addHeartbeat(database, accountId, { ...later, anchorAt: t0 }),
      await addHeartbeat(database, accountId, { ...later, anchorAt: t0, active: 0 }),
      await addHeartbeat(database, accountId),
      await addHeartbeat(database, accountId, { ...later, anchorAt: t0 }),
    ]
    await expectPingsOf(
      database.kysely,
      rows.slice(0, 3).map(({ checkId }) => checkId),
    )
    const tokens = rows.map(({ token }) => token)
    const after = new Map(
      (await lockHeartbeatsOfTokens(database.kysely, tokens)).map((row) => [row.token, row.deadlineAt]),
    )
    expect(tokens.map((token) => after.get(token))).toEqual([
      t0 + 120_000,
      later.deadlineAt,
      null,
      later.deadlineAt,
    ])
  })
})
