import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { type Database, openDatabase } from '../../src/storage/database.ts'
import type { Engine } from '../../src/storage/engine.ts'
import { assertUpToDate, migrate } from '../../src/storage/migrate.ts'
import { migrations } from '../../src/storage/migrations.ts'
import { emptyDatabaseUrl, forEachEngine } from '../support/databases.ts'

const names = migrations.map(({ name }) => name)
const script = join(import.meta.dirname, '../support/migrate-once.ts')
const run = promisify(execFile)

async function openEmpty(engine: Engine): Promise<Database> {
  const database = await openDatabase(await emptyDatabaseUrl(engine))
  onTestFinished(() => database.close())
  return database
}

forEachEngine((engine, open) => {
  test('applies every migration in order, once', async () => {
    const database = await openEmpty(engine)
    expect(await migrate(database)).toEqual(names)
    expect(await migrate(database)).toEqual([])
  })

  test('is not needed by whoever only looks in: what is empty, older or newer is told apart', async () => {
    const empty = await openEmpty(engine)
    if (engine === 'postgres') {
      // Another program's, where nobody of ours looks.
      await sql`create schema elsewhere`.execute(empty.kysely)
      await sql`create table elsewhere.migrations (name text)`.execute(empty.kysely)
    }
    await expect(assertUpToDate(empty)).rejects.toMatchObject({ code: 'DATABASE_MISSING' })
    await migrate(empty)
    const { kysely } = empty
    await expect(assertUpToDate(empty)).resolves.toBeUndefined()
    await kysely
      .deleteFrom('migrations')
      .where('name', '=', names.at(-1) ?? '')
      .execute()
    await expect(assertUpToDate(empty)).rejects.toMatchObject({ code: 'SCHEMA_OUTDATED' })
    await kysely.insertInto('migrations').values({ name: '9999-of-tomorrow' }).execute()
    await expect(assertUpToDate(empty)).rejects.toMatchObject({ code: 'SCHEMA_TOO_NEW' })
  })

  test('refuses a schema that is newer than itself, and says what to do', async () => {
    const database = await open()
    await database.kysely.insertInto('migrations').values({ name: '9999-of-tomorrow' }).execute()
    await expect(migrate(database)).rejects.toMatchObject({
      code: 'SCHEMA_TOO_NEW',
      fatal: true,
      message: expect.stringContaining('start the version that brought it up to date'),
      cause: expect.objectContaining({ message: expect.stringContaining('9999-of-tomorrow') }),
    })
  })

  test('leaves nothing behind when a migration fails, and starts over the next time', async () => {
    const database = await openEmpty(engine)
    // The last table that the first migration makes is in the way.
    await sql`create table agent_error_reports (id text)`.execute(database.kysely)
    await expect(migrate(database)).rejects.toThrow('already exists')
    await sql`drop table agent_error_reports`.execute(database.kysely)
    expect(await migrate(database)).toEqual(names)
  })

  test('processes that start at once apply each migration once', async () => {
    const url = await emptyDatabaseUrl(engine)
    const runs = await Promise.all(Array.from({ length: 4 }, () => run(process.execPath, [script, url])))
    const applied = runs.map(({ stdout }) => JSON.parse(stdout) as string[])
    expect(applied.filter((list) => list.length > 0)).toEqual([names])
  }, 30_000)
})
