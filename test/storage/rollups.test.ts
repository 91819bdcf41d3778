import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { Tally } from '../../src/rules/rollup.ts'
import { dayMs, hourMs } from '../../src/rules/rollup-time.ts'
import { readFigures } from '../../src/server/figures/read-figures.ts'
import { rollUp } from '../../src/server/loops/roll-up.ts'
import { deleteResultsBefore, insertResults, listResults } from '../../src/storage/check-results.ts'
import { deleteCheck } from '../../src/storage/checks.ts'
import type { Database } from '../../src/storage/database.ts'
import { pageOfMeasures } from '../../src/storage/measured-results.ts'
import { makeResultPartitions } from '../../src/storage/result-partitions.ts'
import { readRolledUntil } from '../../src/storage/rollup-progress.ts'
import { deleteRollupsBefore, listRollups, listTotals } from '../../src/storage/rollups.ts'
import type { Schema } from '../../src/storage/schema.ts'
import { forEachEngine } from '../support/databases.ts'
import { plansOf } from '../support/query-plans.ts'
import { addAccount, addCheck, resultRow, t0 } from '../support/storage-rows.ts'

type Result = Partial<Schema['checkResults']>

const midnight = t0 - (t0 % dayMs)
const minuteMs = 60_000
/** The hour is over, and everything that was on its way has come. */
const ripe = (hourAt: number) => hourAt + hourMs + 10 * minuteMs

const at = (now: number) => ({ now: () => now, monotonicMs: () => now })
const rollUpAt = (database: Database, now: number, resultRetentionDays = 30) =>
  rollUp({ database, clock: at(now), resultRetentionDays })

async function ownCheck(database: Database) {
  const accountId = await addAccount(database)
  const { id: checkId } = await addCheck(database, accountId)
  const add = (startedAt: number, changes: Result = {}) =>
    insertResults(database.kysely, [resultRow({ accountId, checkId, startedAt, ...changes })])
  const hour = (startsAt: number) =>
    listRollups(database.kysely, [checkId], { span: 'hour', from: startsAt, to: startsAt + hourMs })
  const day = (startsAt: number) =>
    listRollups(database.kysely, [checkId], { span: 'day', from: startsAt, to: startsAt + dayMs })
  return { accountId, checkId, add, hour, day }
}

/** Enough results of other checks that PostgreSQL chooses as it would for a year of them. */
async function fill(database: Database, accountId: string): Promise<void> {
  await makeResultPartitions(database, midnight)
  for (let checks = 0; checks < 20; checks += 1) await addCheck(database, accountId)
  await sql`insert into check_results
    select gen_random_uuid(), ${accountId}, 'check ' || n % 100, gen_random_uuid(), 'FINAL', 1, 'eu-west-1', at, at, at, at,
      0, 0, 0, 0, 1, '{}', 200, '{}'
    from (select n, ${midnight}::bigint + n * 60000 as at from generate_series(1, 30000) n) results`.execute(
    database.kysely,
  )
  await sql`insert into result_rollups
    select id, span, ${midnight}::bigint + n::bigint * 3600000, 'eu-west-1', 'passed', 200, 1, 0, null, '{}'
    from checks, unnest(array['hour', 'day']) span, generate_series(1, 1000) n`.execute(database.kysely)
  await sql`analyze check_results, result_rollups`.execute(database.kysely)
}

forEachEngine((engine, open) => {
  test('an hour becomes one row for each location, outcome and status', async () => {
    const database = await open()
    const { add, hour } = await ownCheck(database)
    await add(midnight, { measures: '{"total":10,"dns":1}', attempt: 3 })
    await add(midnight + minuteMs, { measures: '{"total":30}' })
    await add(midnight + 2 * minuteMs, { location: 'us-east-1', measures: '{"total":7}' })
    await add(midnight + 3 * minuteMs, { hasFailures: 1, statusCode: 500, measures: '{"total":5}' })
    await add(midnight + 4 * minuteMs, { isDegraded: 1, measures: '{"total":900}' })
    await add(midnight + 5 * minuteMs, { hasErrors: 1, statusCode: 0, measures: '{}' })
    await add(midnight + 6 * minuteMs, { resultType: 'ATTEMPT' })
    await add(midnight + hourMs)
    await rollUpAt(database, ripe(midnight))
    const rows = await hour(midnight)
    expect(
      rows.map(({ location, outcome, statusCode, results }) => [location, outcome, statusCode, results]),
    ).toEqual(
      expect.arrayContaining([
        ['eu-west-1', 'passed', 200, 2],
        ['us-east-1', 'passed', 200, 1],
        ['eu-west-1', 'failed', 500, 1],
        ['eu-west-1', 'degraded', 200, 1],
        ['eu-west-1', 'errored', 0, 1],
      ]),
    )
    expect(rows).toHaveLength(5)
    const passed = rows.find(({ outcome, location }) => outcome === 'passed' && location === 'eu-west-1')
    expect(passed?.retries).toBe(2)
    expect(passed?.sketches.total).toMatchObject({ n: 2, sum: 40, min: 10, max: 30 })
    expect(passed?.sketches.dns).toMatchObject({ n: 1, sum: 1 })
  })

  test('an hour is not rolled up while results for it are still on their way', async () => {
    const database = await open()
    const { add, hour } = await ownCheck(database)
    await add(midnight)
    await rollUpAt(database, ripe(midnight) - 1)
    expect(await hour(midnight)).toEqual([])
    expect(await readRolledUntil(database.kysely)).toBeNull()
    await rollUpAt(database, ripe(midnight))
    expect(await hour(midnight)).toHaveLength(1)
    expect(await readRolledUntil(database.kysely)).toBe(midnight + hourMs)
  })

  test('all hours since the last one follow after a downtime, for more checks than one step takes', async () => {
    const database = await open()
    const accountId = await addAccount(database)
    const ids: string[] = []
    for (let n = 0; n < 60; n += 1) ids.push((await addCheck(database, accountId)).id)
    for (const [n, checkId] of ids.entries()) {
      const startedAt = midnight + (n % 3) * hourMs
      await insertResults(database.kysely, [resultRow({ accountId, checkId, startedAt })])
    }
    await rollUpAt(database, ripe(midnight + 2 * hourMs))
    const rows = await listTotals(database.kysely, ids, { span: 'hour', from: 0, to: t0 + dayMs })
    expect(rows.reduce((sum, { results }) => sum + results, 0)).toBe(60)
    expect(rows).toHaveLength(60)
  })

  test('servers that roll up at once count nothing twice', async () => {
    const database = await open()
    const { checkId, add } = await ownCheck(database)
    for (let hours = 0; hours < 6; hours += 1) await add(midnight + hours * hourMs)
    const now = ripe(midnight + 6 * hourMs)
    await Promise.all([1, 2, 3, 4].map(() => rollUpAt(database, now)))
    await rollUpAt(database, now)
    const rows = await listTotals(database.kysely, [checkId], { span: 'hour', from: 0, to: now })
    expect(rows.map(({ results }) => results)).toEqual([1, 1, 1, 1, 1, 1])
  })

  test('a day is made with its last hour and adds up its hours', async () => {
    const database = await open()
    const { add, day } = await ownCheck(database)
    for (let hours = 0; hours < 25; hours += 1) {
      await add(midnight + hours * hourMs, { measures: `{"total":${10 + hours}}` })
    }
    await rollUpAt(database, ripe(midnight + 22 * hourMs))
    expect(await day(midnight)).toEqual([])
    await rollUpAt(database, ripe(midnight + 23 * hourMs))
    const [row, ...others] = await day(midnight)
    expect(others).toEqual([])
    expect(row?.results).toBe(24)
    expect(row?.sketches.total).toMatchObject({ n: 24, min: 10, max: 33 })
  })

  describe('a result that comes when its hour is rolled up', () => {
    test('is in the figures of its hour and its day after the next rollup', async () => {
      const database = await open()
      const { add, hour, day } = await ownCheck(database)
      await add(midnight)
      const nextDay = ripe(midnight + dayMs)
      await rollUpAt(database, nextDay)
      await add(midnight + minuteMs, { createdAt: nextDay })
      await add(midnight + 5 * hourMs, { createdAt: nextDay })
      await rollUpAt(database, nextDay)
      expect((await hour(midnight)).map(({ results }) => results)).toEqual([2])
      expect((await hour(midnight + 5 * hourMs)).map(({ results }) => results)).toEqual([1])
      expect((await day(midnight)).map(({ results }) => results)).toEqual([3])
      expect(await database.kysely.selectFrom('lateResults').selectAll().execute()).toEqual([])
    })

    test('is counted once when it came between the end of its hour and the rollup', async () => {
      const database = await open()
      const { add, hour } = await ownCheck(database)
      await add(midnight + minuteMs, { createdAt: midnight + hourMs + 5 * minuteMs })
      await rollUpAt(database, ripe(midnight))
      await rollUpAt(database, ripe(midnight))
      expect((await hour(midnight)).map(({ results }) => results)).toEqual([1])
    })

    test('adds to figures whose other results are deleted', async () => {
      const database = await open()
      const { add, hour, day } = await ownCheck(database)
      await add(midnight)
      await add(midnight + minuteMs)
      const later = ripe(midnight + 3 * dayMs)
      await rollUpAt(database, later, 1)
      await deleteResultsBefore(database, midnight + dayMs)
      await add(midnight + 2 * minuteMs, { createdAt: later })
      await rollUpAt(database, later, 1)
      expect((await hour(midnight)).map(({ results }) => results)).toEqual([3])
      expect((await day(midnight)).map(({ results }) => results)).toEqual([3])
    })

    test('of a check that is gone is forgotten', async () => {
      const database = await open()
      const { accountId, checkId, add } = await ownCheck(database)
      await add(midnight, { createdAt: midnight + dayMs })
      await rollUpAt(database, midnight + 2 * dayMs)
      await add(midnight + minuteMs, { createdAt: midnight + dayMs })
      await deleteCheck(database.kysely, accountId, checkId)
      await rollUpAt(database, midnight + 2 * dayMs)
      expect(await database.kysely.selectFrom('lateResults').selectAll().execute()).toEqual([])
      expect(await database.kysely.selectFrom('resultRollups').selectAll().execute()).toEqual([])
    })
  })

  test('figures older than their retention go, the others stay', async () => {
    const database = await open()
    const { checkId, add } = await ownCheck(database)
    for (let hours = 0; hours < 4; hours += 1) await add(midnight + hours * hourMs)
    await rollUpAt(database, ripe(midnight + 4 * hourMs))
    expect(await deleteRollupsBefore(database.kysely, midnight + 2 * hourMs)).toBe(2)
    const left = await listTotals(database.kysely, [checkId], { span: 'hour', from: 0, to: t0 + dayMs })
    expect(left.map(({ startsAt }) => startsAt).toSorted((a, b) => a - b)).toEqual([
      midnight + 2 * hourMs,
      midnight + 3 * hourMs,
    ])
  })

  test('listings, figures and pages of single results are found by check and time, never by reading a table', async () => {
    const database = await open()
    const { accountId, checkId } = await ownCheck(database)
    if (engine === 'postgres') await fill(database, accountId)
    const range = { from: midnight, to: midnight + 30 * dayMs }
    const plans = await plansOf(database, async (db) => {
      await listResults(db, accountId, checkId, { resultType: 'FINAL', ...range }, { offset: 0, limit: 10 })
      const wanted = { accountId, checkIds: [checkId], ...range, outcomes: ['failed'] as const }
      await pageOfMeasures(db, wanted, { offset: 0, limit: 10 })
      const pieces = (['result', 'hour', 'day'] as const).map((source) => ({
        source,
        from: midnight,
        to: midnight + (source === 'result' ? hourMs : 30 * dayMs),
      }))
      for (const totalsAlone of [true, false]) {
        await readFigures(db, { accountId, checkIds: [checkId], pieces, totalsAlone }, () => {})
      }
    })
    expect(plans).toHaveLength(9)
    for (const plan of plans) {
      expect(plan).not.toMatch(/^SCAN|Seq Scan|_oldest/m)
      const bounds = plan.match(/(Index Cond: |USING (COVERING INDEX|INDEX|PRIMARY KEY) ).*/g) ?? []
      expect(bounds.length).toBeGreaterThan(0)
      for (const bound of bounds) expect(bound).toMatch(/check_id ?=.*start(ed|s)_at ?>/)
    }
  })

  test('figures of a year are read from days: as many rows as days, not as results', async () => {
    const database = await open()
    const { accountId, checkId } = await ownCheck(database)
    const row = { checkId, location: 'eu-west-1', outcome: 'passed', statusCode: 200, retries: 0 } as const
    const days = Array.from({ length: 365 }, (_, index) => ({
      ...row,
      span: 'day' as const,
      startsAt: midnight + index * dayMs,
      results: 1440,
      total: null,
      measures: '{}',
    }))
    for (const one of days) await database.kysely.insertInto('resultRollups').values(one).execute()
    let figures = 0
    const tally = new Tally(['total'])
    const pieces = [{ source: 'day' as const, from: midnight, to: midnight + 365 * dayMs }]
    const wanted = { accountId, checkIds: [checkId, newId()], pieces, totalsAlone: true }
    await readFigures(database.kysely, wanted, (figure) => {
      figures += 1
      figure.addTo(tally)
    })
    expect([figures, tally.results]).toEqual([365, 365 * 1440])
  })
})
