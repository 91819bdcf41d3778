// Fills an empty database through storage, in large batches, with what the service would have written in 30 days. Tells
// the parent when it is done.
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { systemClock } from '../../src/lib/clock.ts'
import { Secret } from '../../src/lib/secret.ts'
import { ensureFirstAccount } from '../../src/server/first-account.ts'
import { insertResults } from '../../src/storage/check-results.ts'
import { type Database, openDatabase } from '../../src/storage/database.ts'
import { migrate } from '../../src/storage/migrate.ts'
import { makeResultPartitions } from '../../src/storage/result-partitions.ts'
import type { Schema } from '../../src/storage/schema.ts'
import { rowWrite, writeRows } from '../../src/storage/write-rows.ts'
import { progress } from '../support/progress.ts'
import { writeChecks } from './seed-checks.ts'
import { resultRows, rollupRows } from './seed-rows.ts'
import { accountId, apiKey } from './settings.ts'
import { planOf } from './stored-plan.ts'

/** `targetUrl`: of all checks; then they run every 10 seconds, once they are woken, and else once a day. */
const [, , url = '', checks = '', results = '', targetUrl = ''] = process.argv
/** Few enough that the widest table stays under SQLite's limit of bound values. */
const rowsAStatement = 1000
const statementsATransaction = 50

const rollupWrite = rowWrite(
  'resultRollups',
  [
    'checkId',
    'span',
    'startsAt',
    'location',
    'outcome',
    'statusCode',
    'results',
    'retries',
    'total',
    'measures',
  ],
  ['checkId', 'span', 'startsAt', 'location', 'outcome', 'statusCode'],
  'keep',
)

type Insert<Row> = (db: Kysely<Schema>, rows: readonly Row[]) => Promise<unknown>

async function write<Row>(
  database: Database,
  table: string,
  rows: Iterator<Row>,
  expected: number,
  insert: Insert<Row>,
): Promise<number> {
  let written = 0
  for (let last = false; !last; ) {
    await database.transaction(async (db) => {
      for (let statement = 0; statement < statementsATransaction && !last; statement += 1) {
        const batch = next(rows, rowsAStatement)
        if (batch.length > 0) await insert(db, batch)
        written += batch.length
        last = batch.length < rowsAStatement
      }
    })
    progress(`${database.engine}: ${table}: ${written} of about ${expected}`)
  }
  return written
}

/** Not `take`, which ends the generator. */
function next<T>(rows: Iterator<T>, most: number): T[] {
  const batch: T[] = []
  while (batch.length < most) {
    const { value, done = false } = rows.next()
    if (done) break
    batch.push(value)
  }
  return batch
}

async function seed(database: Database): Promise<{ readonly rollups: number }> {
  await migrate(database)
  await makeResultPartitions(database, Date.now())
  const db = database.kysely
  if (database.engine === 'sqlite') {
    // Of this connection alone, which nobody reads while it writes.
    await sql.raw('pragma synchronous = off').execute(db)
    await sql.raw('pragma cache_size = -2000000').execute(db)
    await sql.raw('pragma wal_autocheckpoint = 20000').execute(db)
  }
  await ensureFirstAccount({ database, clock: systemClock, accountId, apiKey: new Secret(apiKey) })
  const plan = planOf({ checks: Number(checks), results: Number(results) }, Date.now())
  await writeChecks(database, plan, targetUrl)
  await write(database, 'checkResults', resultRows(plan), Number(results), insertResults)
  const insertRollups: Insert<Schema['resultRollups']> = (tx, rows) => writeRows(tx, rollupWrite, rows)
  const rollups = await write(database, 'resultRollups', rollupRows(plan), Number(results) / 2, insertRollups)
  await db.updateTable('rollupProgress').set({ until: plan.until, afterCheckId: '' }).execute()
  if (database.engine === 'postgres') await sql.raw('vacuum analyze').execute(db)
  else await sql.raw('pragma wal_checkpoint(truncate)').execute(db)
  return { rollups }
}

const database = await openDatabase(url)
const done = await seed(database)
await database.close()
process.send?.(done)
