import { expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import {
  deleteResultsBefore,
  findResult,
  insertResults,
  listResults,
  listResultsAfter,
  type ResultCursor,
  type ResultFilter,
} from '../../src/storage/check-results.ts'
import type { Database } from '../../src/storage/database.ts'
import type { Schema } from '../../src/storage/schema.ts'
import { forEachEngine } from '../support/databases.ts'
import { resultRow, t0 } from '../support/storage-rows.ts'

type ResultRow = Schema['checkResults']

const { accountId, checkId } = resultRow()
const all = { resultType: 'ALL' } as const
const firstPage = { offset: 0, limit: 100 }

async function addAll(database: Database, rows: readonly ResultRow[]): Promise<void> {
  for (const row of rows) await insertResults(database.kysely, [row])
}

/** Several of one instant, so that the order among them counts. */
const manyRows = () =>
  Array.from({ length: 23 }, (_, index) => resultRow({ startedAt: t0 + Math.floor(index / 5) }))
const newestFirst = (rows: readonly ResultRow[]) =>
  rows.toSorted((a, b) => b.startedAt - a.startedAt || (a.id < b.id ? -1 : 1))

forEachEngine((_engine, open) => {
  test('stores a result once, whoever sends it how often', async () => {
    const { kysely: db } = await open()
    const row = resultRow({ responseTimeMs: 0.125, details: '{"name":"Straße 🐎"}' })
    const stored = await Promise.all(Array.from({ length: 5 }, () => insertResults(db, [row])))
    expect(stored.filter(Boolean)).toHaveLength(1)
    expect(await insertResults(db, [{ ...row, details: 'changed' }])).toBe(0)
    expect(await findResult(db, accountId, checkId, row.id)).toEqual(row)
  })

  test('a FINAL result takes the place of an ATTEMPT with its id, and nothing takes the place of a FINAL one', async () => {
    const { kysely: db } = await open()
    const attempt = resultRow({ resultType: 'ATTEMPT', details: 'first' })
    const final = { ...attempt, resultType: 'FINAL', details: 'second' } as const
    expect(await insertResults(db, [attempt])).toBe(1)
    expect(await insertResults(db, [final])).toBe(1)
    expect(await insertResults(db, [{ ...final, details: 'third' }])).toBe(0)
    expect(await insertResults(db, [attempt])).toBe(0)
    expect(await findResult(db, accountId, checkId, attempt.id)).toEqual(final)
  })

  test('stores any number of results at once, those that are there already left out', async () => {
    const { kysely: db } = await open()
    const rows = Array.from({ length: 701 }, (_, index) =>
      resultRow({ startedAt: t0 + index, resultType: index % 3 === 0 ? 'ATTEMPT' : 'FINAL' }),
    )
    expect(await insertResults(db, rows.slice(0, 300))).toBe(300)
    expect(await insertResults(db, rows)).toBe(401)
    expect(await insertResults(db, [])).toBe(0)
    const page = { offset: 0, limit: 1000 }
    const { rows: stored } = await listResults(db, accountId, checkId, { resultType: 'ALL' }, page)
    expect(stored).toEqual(newestFirst(rows))
  })

  test('gives a result to its own account and check alone', async () => {
    const { kysely: db } = await open()
    const row = resultRow({ responseTimeMs: null })
    await insertResults(db, [row])
    expect(await findResult(db, accountId, checkId, row.id)).toEqual(row)
    expect(await findResult(db, 'another account', checkId, row.id)).toBeUndefined()
    expect(await findResult(db, accountId, 'another check', row.id)).toBeUndefined()
    expect((await listResults(db, 'another account', checkId, all, firstPage)).total).toBe(0)
    expect(await listResultsAfter(db, 'another account', checkId, all, null, 10)).toEqual([])
  })

  test('lists in pages that cover everything once, newest first', async () => {
    const database = await open()
    const rows = manyRows()
    await addAll(database, [...rows, resultRow({ checkId: 'another check' })])
    const listed: ResultRow[] = []
    for (let offset = 0; offset <= 25; offset += 5) {
      const page = await listResults(database.kysely, accountId, checkId, all, { offset, limit: 5 })
      expect(page.total).toBe(23)
      listed.push(...page.rows)
    }
    expect(listed).toEqual(newestFirst(rows))
  })

  test('lists behind a cursor the same, also while newer results come in', async () => {
    const database = await open()
    const rows = manyRows()
    await addAll(database, rows)
    const listed: ResultRow[] = []
    let cursor: ResultCursor | null = null
    for (let page = 0; page < 7; page += 1) {
      const next = await listResultsAfter(database.kysely, accountId, checkId, all, cursor, 4)
      listed.push(...next)
      cursor = next.at(-1) ?? cursor
      await insertResults(database.kysely, [resultRow({ startedAt: t0 + 1000 })])
    }
    expect(listed).toEqual(newestFirst(rows))
  })

  test('narrows both lists by every part of the filter', async () => {
    const database = await open()
    const db = database.kysely
    const rows = {
      early: resultRow({ startedAt: t0 }),
      failed: resultRow({ startedAt: t0 + 10, hasFailures: 1 }),
      attempt: resultRow({ startedAt: t0 + 20, resultType: 'ATTEMPT', hasFailures: 1 }),
      elsewhere: resultRow({ startedAt: t0 + 30, location: 'us-east-1' }),
    }
    await addAll(database, Object.values(rows))
    const names = async (filter: ResultFilter) => {
      const { rows: page, total } = await listResults(db, accountId, checkId, filter, firstPage)
      expect(total).toBe(page.length)
      expect(await listResultsAfter(db, accountId, checkId, filter, null, 100)).toEqual(page)
      return page.map(({ id }) => Object.entries(rows).find(([, row]) => row.id === id)?.[0])
    }
    const FINAL = { resultType: 'FINAL' } as const
    expect(await names(all)).toEqual(['elsewhere', 'attempt', 'failed', 'early'])
    expect(await names(FINAL)).toEqual(['elsewhere', 'failed', 'early'])
    expect(await names({ resultType: 'ATTEMPT' })).toEqual(['attempt'])
    expect(await names({ ...FINAL, hasFailures: true })).toEqual(['failed'])
    expect(await names({ ...FINAL, hasFailures: false })).toEqual(['elsewhere', 'early'])
    expect(await names({ ...all, location: 'us-east-1' })).toEqual(['elsewhere'])
    expect(await names({ ...all, from: t0 + 10, to: t0 + 20 })).toEqual(['attempt', 'failed'])
    expect(await names({ ...all, from: 0, to: t0 })).toEqual(['early'])
  })

  test('deletes what is too old, in more than one batch, and lets the event loop turn meanwhile', async () => {
    const database = await open()
    await database.transaction(async (db) => {
      for (let n = 0; n < 1001; n += 1)
        await insertResults(db, [resultRow({ id: newId(), startedAt: t0 - 1 })])
    })
    const kept = resultRow({ startedAt: t0 })
    await insertResults(database.kysely, [kept])
    let turns = 0
    const ticker = setInterval(() => {
      turns += 1
    }, 0)
    expect(await deleteResultsBefore(database, t0)).toBe(1001)
    clearInterval(ticker)
    expect(turns).toBeGreaterThan(0)
    expect((await listResults(database.kysely, accountId, checkId, all, firstPage)).rows).toEqual([kept])
  })
})
