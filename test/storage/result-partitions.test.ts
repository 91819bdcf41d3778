import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import {
  deleteResultsBefore,
  findResult,
  insertResults,
  listResults,
} from '../../src/storage/check-results.ts'
import { type Database, openDatabase } from '../../src/storage/database.ts'
import { migrate } from '../../src/storage/migrate.ts'
import { migrations } from '../../src/storage/migrations.ts'
import { listResultPartitions, makeResultPartitions } from '../../src/storage/result-partitions.ts'
import { readRolledUntil } from '../../src/storage/rollup-progress.ts'
import { emptyDatabaseUrl, forEachEngine, openFresh } from '../support/databases.ts'
import { resultRow, t0 } from '../support/storage-rows.ts'

const dayMs = 24 * 60 * 60_000
const weekMs = 7 * dayMs
const { accountId, checkId } = resultRow()
/** The first Monday after this test runs, and a Wednesday four weeks later: later than any partition made by a migration. */
const monday = Date.UTC(2100, 0, 4)
const wednesday = monday + 2 * dayMs

const names = async (database: Database) => (await listResultPartitions(database)).map(({ name }) => name)
const count = async (database: Database) =>
  (await listResults(database.kysely, accountId, checkId, { resultType: 'ALL' }, { offset: 0, limit: 1 }))
    .total
async function rowsOf(database: Database, table: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(
    database.kysely,
  )
  return rows[0]?.n ?? -1
}

test('PostgreSQL has a partition for this week and the next four, and servers that make them at once make them once', async () => {
  const database = await openFresh('postgres')
  await Promise.all([1, 2, 3].map(() => makeResultPartitions(database, wednesday)))
  expect(await names(database)).toEqual([
    'check_results_21000104',
    'check_results_21000111',
    'check_results_21000118',
    'check_results_21000125',
    'check_results_21000201',
    'check_results_before',
    'check_results_rest',
  ])
  await makeResultPartitions(database, wednesday + weekMs)
  expect(await names(database)).toContain('check_results_21000208')
})

test('results that came before their week had a partition move into it', async () => {
  const database = await openFresh('postgres')
  const row = resultRow({ startedAt: wednesday })
  await insertResults(database.kysely, [row])
  expect(await rowsOf(database, 'check_results_rest')).toBe(1)
  await makeResultPartitions(database, wednesday)
  expect(await rowsOf(database, 'check_results_rest')).toBe(0)
  expect(await rowsOf(database, 'check_results_21000104')).toBe(1)
  expect(await findResult(database.kysely, accountId, checkId, row.id)).toEqual(row)
})

test('a week goes whole once the last of its results is old enough, and not before', async () => {
  const database = await openFresh('postgres')
  await makeResultPartitions(database, wednesday)
  // Due in the last minute of the week, and begun a day later.
  const last = { dueAt: monday + weekMs - 60_000, startedAt: monday + weekMs + dayMs }
  await insertResults(database.kysely, [resultRow(last)])
  await insertResults(database.kysely, [resultRow({ startedAt: monday + weekMs + 2 * dayMs })])
  await deleteResultsBefore(database, last.startedAt)
  expect(await count(database)).toBe(2)
  await deleteResultsBefore(database, monday + weekMs + 2 * dayMs)
  expect(await count(database)).toBe(1)
  expect(await names(database)).not.toContain('check_results_21000104')
})

test('a table that somebody reads is dropped at another time, and nothing waits for it', async () => {
  const database = await openFresh('postgres')
  await makeResultPartitions(database, wednesday)
  await insertResults(database.kysely, [resultRow({ startedAt: wednesday })])
  await database.transaction(async (db) => {
    await sql`select 1 from check_results`.execute(db)
    await deleteResultsBefore(database, monday + 4 * weekMs)
  })
  expect(await names(database)).toContain('check_results_21000104')
  await deleteResultsBefore(database, monday + 4 * weekMs)
  expect(await names(database)).not.toContain('check_results_21000104')
}, 30_000)

test('SQLite has one table and needs no partitions', async () => {
  const database = await openFresh('sqlite')
  expect(await makeResultPartitions(database, wednesday)).toBe(false)
  expect(await names(database)).toEqual([])
})

forEachEngine((engine, open) => {
  test('the same attempt is one result, also when two agents made it at different times and a week turned between them', async () => {
    const database = await open()
    await makeResultPartitions(database, wednesday)
    const dueAt = monday + weekMs - 1000
    const first = resultRow({ resultType: 'ATTEMPT', dueAt, startedAt: dueAt })
    const again = { ...first, startedAt: dueAt + 5000 }
    expect(await insertResults(database.kysely, [first])).toBe(1)
    expect(await insertResults(database.kysely, [again])).toBe(0)
    const final = { ...again, resultType: 'FINAL' } as const
    const stored = await Promise.all(Array.from({ length: 4 }, () => insertResults(database.kysely, [final])))
    expect(stored.filter(Boolean)).toHaveLength(1)
    expect(await count(database)).toBe(1)
    expect(await findResult(database.kysely, accountId, checkId, first.id)).toEqual(final)
  })

  test('results from before the migration stay, are read, written once, rolled up and deleted as all others', async () => {
    const database = await openDatabase(await emptyDatabaseUrl(engine))
    onTestFinished(() => database.close())
    const old = Array.from({ length: 3 }, (_, index) =>
      resultRow({ id: newId(), startedAt: t0 + index * dayMs }),
    )
    await database.transaction(async (db) => {
      for (const { name, up } of migrations.filter(({ name: known }) => known < '0009')) {
        if (name === '0001-initial')
          await sql`create table migrations (name text not null primary key)`.execute(db)
        await up(db, engine)
        await db.insertInto('migrations').values({ name }).execute()
      }
      for (const { statusCode: _, measures: __, ...row } of old) {
        await sql`insert into check_results (${sql.join(Object.keys(row).map((key) => sql.ref(key)))})
          values (${sql.join(Object.values(row))})`.execute(db)
      }
    })
    await migrate(database)
    expect(await count(database)).toBe(3)
    expect(await readRolledUntil(database.kysely)).toBe(t0 - (t0 % (60 * 60_000)))
    const [first] = old
    if (!first) throw new Error('there are three')
    expect(await insertResults(database.kysely, [first])).toBe(0)
    expect(await findResult(database.kysely, accountId, checkId, first.id)).toMatchObject({
      startedAt: t0,
      statusCode: null,
      measures: null,
    })
    expect(await deleteResultsBefore(database, t0 + dayMs)).toBe(1)
    expect(await count(database)).toBe(2)
  })
})

test('results that come while their weeks get partitions are stored, each once', async () => {
  const database = await openFresh('postgres')
  const weeks = Array.from({ length: 40 }, (_, n) => wednesday + n * weekMs)
  const rows = weeks.flatMap((week) =>
    Array.from({ length: 10 }, (_, n) => resultRow({ startedAt: week + n })),
  )
  let made = false
  const making = (async () => {
    for (const week of weeks) await makeResultPartitions(database, week)
    made = true
  })()
  let stored = 0
  const store = async () => {
    while (!made || stored < rows.length) {
      const row = rows[stored++ % rows.length]
      if (row) await insertResults(database.kysely, [row])
    }
  }
  await Promise.all([making, store(), store(), store()])
  expect(await count(database)).toBe(rows.length)
  expect(await rowsOf(database, 'check_results_rest')).toBe(0)
})
