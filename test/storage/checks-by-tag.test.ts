import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { listChecks } from '../../src/storage/checks.ts'
import { forEachEngine, openFresh } from '../support/databases.ts'
import { plansOf } from '../support/query-plans.ts'
import { addAccount, addCheck } from '../support/storage-rows.ts'

forEachEngine((_engine, open) => {
  test('finds the checks with a tag by the tag, not by looking at the tags of each check', async () => {
    const database = await open()
    const accountId = await addAccount(database)
    const tagged = await addCheck(database, accountId, {}, { tags: ['a', 'b', 'a'] })
    await addCheck(database, accountId, {}, { tags: ['a'] })
    const page = { offset: 0, limit: 10 }
    const both = await listChecks(database.kysely, accountId, { tags: ['a', 'b'] }, page)
    expect(both).toMatchObject({ total: 1, rows: [{ id: tagged.id }] })
    const plans = await plansOf(database, (db) => listChecks(db, accountId, { tags: ['b'] }, page))
    expect(plans).toHaveLength(2)
    for (const plan of plans) expect(plan).toMatch(/check_tags_of_tag/)
  })
})

test('a page of a new SQLite file holds several results, and its cache the indexes that lists are read by', async () => {
  const { kysely: db } = await openFresh('sqlite')
  const read = async (name: string) => {
    const { rows } = await sql.raw<Record<string, number>>(`pragma ${name}`).execute(db)
    return Object.values(rows[0] ?? {})[0]
  }
  expect(await read('page_size')).toBe(8192)
  expect(await read('cache_size')).toBe(-32_768)
})
