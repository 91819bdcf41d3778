import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { takePings } from '../../src/server/heartbeats/take-pings.ts'
import {
  addHeartbeatEvents,
  deleteHeartbeatEventsBefore,
  heartbeatEventBefore,
  heartbeatEventsFrom,
} from '../../src/storage/heartbeat-pings.ts'
import {
  firstHeartbeatDeadline,
  lockHeartbeatsDueBefore,
  lockHeartbeatsOfTokens,
} from '../../src/storage/heartbeats.ts'
import { migrations } from '../../src/storage/migrations.ts'
import type { Schema } from '../../src/storage/schema.ts'
import { addDowntime, listDowntimes } from '../../src/storage/service-downtimes.ts'
import { forEachEngine } from '../support/databases.ts'
import { addHeartbeat, pingAt, storyOf } from '../support/heartbeat-rows.ts'
import { plansOf } from '../support/query-plans.ts'
import { addAccount, addCheck, t0 } from '../support/storage-rows.ts'

const wholeTable = /SCAN heartbeats(?! USING)|Seq Scan/

forEachEngine((_engine, open) => {
  test('whose deadline passed is found by an index, however many there are', async () => {
    const database = await open()
    const plans = await plansOf(database, async (db) => {
      await lockHeartbeatsDueBefore(db, t0, 500)
      await firstHeartbeatDeadline(db)
    })
    expect(plans).toHaveLength(2)
    for (const plan of plans) {
      expect(plan).toContain('heartbeats_due')
      expect(plan).not.toMatch(wholeTable)
    }
  })

  test('those of a ping are found by an index', async () => {
    const database = await open()
    const [plan] = await plansOf(database, (db) => lockHeartbeatsOfTokens(db, ['a', 'b']))
    expect(plan).toContain('heartbeats_of_token')
  })

  test('their events are found and thrown away by an index', async () => {
    const database = await open()
    const plans = await plansOf(database, async (db) => {
      await heartbeatEventBefore(db, 'a', { from: 0, before: t0 })
      await heartbeatEventsFrom(db, 'a', t0, 10)
      await deleteHeartbeatEventsBefore(db, t0)
    })
    const [before, after, deleted] = plans
    expect(before).toContain('heartbeat_events_newest')
    expect(after).toContain('heartbeat_events_newest')
    expect(deleted).toContain('heartbeat_events_oldest')
  })

  test('the longest due come first, and only those that are', async () => {
    const database = await open()
    const accountId = await addAccount(database)
    const second = await addHeartbeat(database, accountId, { anchorAt: t0, deadlineAt: t0 + 2 })
    const first = await addHeartbeat(database, accountId, { anchorAt: t0, deadlineAt: t0 + 1 })
    await addHeartbeat(database, accountId, { anchorAt: t0, deadlineAt: t0 + 3 })
    await addHeartbeat(database, accountId)
    const due = await lockHeartbeatsDueBefore(database.kysely, t0 + 3, 10)
    expect(due.map(({ checkId }) => checkId)).toEqual([first.checkId, second.checkId])
    expect(await firstHeartbeatDeadline(database.kysely)).toBe(t0 + 1)
  })

  test('events that are too old go, and the others stay', async () => {
    const database = await open()
    const row = await addHeartbeat(database, await addAccount(database))
    const options = { now: t0 + 200_000, unrecorded: null, mayRepeat: false }
    const pings = [0, 60_000, 120_000].map((after) => pingAt(row.token, t0 + after))
    await database.transaction((db) => takePings(db, pings, options))
    expect(await deleteHeartbeatEventsBefore(database.kysely, t0 + 60_000)).toBe(1)
    expect(await storyOf(database, row.checkId, t0)).toEqual(['EARLY 60', 'EARLY 120'])
  })

  test('pings that come to two servers at once all count', async () => {
    const database = await open()
    const accountId = await addAccount(database)
    const rows: Schema['heartbeats'][] = []
    for (let index = 0; index < 20; index += 1) rows.push(await addHeartbeat(database, accountId))
    const batch = (at: number) => rows.map(({ token }) => pingAt(token, at))
    const now = t0 + 60_000
    await Promise.all(
      [0, 1, 2, 3, 4, 5].map((second) =>
        database.transaction((db) =>
          takePings(db, batch(t0 + second * 1000).toReversed(), { now, unrecorded: null, mayRepeat: false }),
        ),
      ),
    )
    for (const { checkId } of rows) {
      expect(await storyOf(database, checkId, t0)).toEqual([
        'RECEIVED 0',
        ...['EARLY 1', 'EARLY 2', 'EARLY 3', 'EARLY 4', 'EARLY 5'],
      ])
    }
  })

  test('an event that comes again counts its pings, and is one', async () => {
    const database = await open()
    const { checkId, accountId } = await addHeartbeat(database, await addAccount(database))
    const nothing = { source: null, userAgent: null, durationMs: null, exitCode: null, body: null }
    const event = {
      id: 'an event',
      accountId,
      checkId,
      state: 'EARLY' as const,
      at: t0,
      pings: 2,
      ...nothing,
    }
    await addHeartbeatEvents(database.kysely, [event])
    await addHeartbeatEvents(database.kysely, [{ ...event, at: t0 + 5, pings: 3 }])
    const [kept, ...others] = await heartbeatEventsFrom(database.kysely, checkId, t0, 10)
    expect(kept).toMatchObject({ at: t0 + 5, pings: 5 })
    expect(others).toEqual([])
  })

  test('downtimes that follow each other within a minute are one', async () => {
    const { kysely } = await open()
    await addDowntime(kysely, t0, t0 + 1000)
    await addDowntime(kysely, t0 + 60_000, t0 + 61_000)
    await addDowntime(kysely, t0 + 200_000, t0 + 201_000)
    expect(await listDowntimes(kysely, 0)).toEqual([
      { from: t0, to: t0 + 61_000 },
      { from: t0 + 200_000, to: t0 + 201_000 },
    ])
    expect(await listDowntimes(kysely, t0 + 61_000)).toHaveLength(1)
  })

  test('heartbeats from before pings were taken wait for their first', async () => {
    const database = await open()
    const accountId = await addAccount(database)
    const heartbeat = {
      period: 2,
      periodUnit: 'hours',
      grace: 90,
      graceUnit: 'seconds',
      pingToken: 'A-Token',
    }
    const definition = (activated: boolean) => JSON.stringify({ name: 'n', activated, heartbeat })
    const type = 'HEARTBEAT'
    const one = await addCheck(database, accountId, { type, definition: definition(true) })
    const off = await addCheck(database, accountId, { type, definition: definition(false) })
    await addCheck(database, accountId)
    const old = ['heartbeats', 'service_beats', 'service_downtimes']
    for (const table of old) await sql.raw(`drop table ${table}`).execute(database.kysely)
    await sql.raw('drop index heartbeat_events_oldest').execute(database.kysely)
    for (const column of ['pings', 'duration_ms', 'exit_code', 'body']) {
      await sql.raw(`alter table heartbeat_events drop column ${column}`).execute(database.kysely)
    }
    await migrations.find(({ name }) => name === '0014-heartbeats')?.up(database.kysely, database.engine)
    const rows = await lockHeartbeatsOfTokens(database.kysely, ['a-token'])
    expect(rows).toHaveLength(2)
    expect(rows).toContainEqual({
      ...{ checkId: one.id, accountId, token: 'a-token', active: 1, periodMs: 7_200_000, graceMs: 90_000 },
      ...{ anchorAt: null, failing: 'no', restartedAt: 0, startedAt: null, deadlineAt: null },
    })
    expect(rows.find(({ checkId }) => checkId === off.id)?.active).toBe(0)
  })
})
