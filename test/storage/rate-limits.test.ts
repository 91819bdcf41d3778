import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import type { Database } from '../../src/storage/database.ts'
import { openFresh } from '../support/databases.ts'
import { startTestService } from '../support/test-service.ts'

async function startOver(database: Database) {
  const service = await startTestService({ database, rateLimitAMinute: 5 })
  // The database is closed by whoever opened it.
  onTestFinished(() => service.app.close())
  return async () => (await service.api('GET', '/v1/accounts/me')).statusCode
}

test('two servers over one PostgreSQL enforce one limit on a key together', async () => {
  const database = await openFresh('postgres')
  const [askA, askB] = [await startOver(database), await startOver(database)]
  const counted = async () => {
    const rows = await database.kysely.selectFrom('rateLimitCounts').select('requests').execute()
    return rows.map(({ requests }) => requests)
  }
  for (let n = 0; n < 4; n += 1) expect(await askA()).toBe(200)
  await expect.poll(counted).toEqual([4])
  // By itself the second would take four more: with its first request it hears of the other four.
  expect(await askB()).toBe(200)
  await expect.poll(counted).toEqual([5])
  expect(await askB()).toBe(429)
})

test('while PostgreSQL does not answer for the counts, the server takes what the limit allows and no more', async () => {
  const database = await openFresh('postgres')
  const ask = await startOver(database)
  const waiting = sql`select 1 from pg_locks where not granted and relation = 'rate_limit_counts'::regclass`
  await database.transaction(async (db) => {
    await sql`lock table rate_limit_counts in access exclusive mode`.execute(db)
    expect(await ask()).toBe(200)
    await expect.poll(async () => (await waiting.execute(db)).rows.length).toBe(1)
    for (let n = 1; n < 5; n += 1) expect(await ask()).toBe(200)
    expect(await ask()).toBe(429)
  })
})
