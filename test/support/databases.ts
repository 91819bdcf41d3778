import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { describe, inject, onTestFinished } from 'vitest'
import { type Database, openDatabase } from '../../src/storage/database.ts'
import type { Engine } from '../../src/storage/engine.ts'
import { migrate } from '../../src/storage/migrate.ts'

/** The same promises on each engine. `open` is `openFresh` of the engine. */
export function forEachEngine(suite: (engine: Engine, open: () => Promise<Database>) => void): void {
  for (const engine of ['sqlite', 'postgres'] as const) {
    describe(engine, () => suite(engine, () => openFresh(engine)))
  }
}

/** A database of its own for one test, with the schema, closed at its end. */
export async function openFresh(engine: Engine): Promise<Database> {
  const database = await openDatabase(await emptyDatabaseUrl(engine))
  onTestFinished(() => database.close())
  await migrate(database)
  return database
}

/** The URL of a database with nothing in it. */
export function emptyDatabaseUrl(engine: Engine): Promise<string> {
  return engine === 'sqlite' ? sqliteUrl() : postgresUrl()
}

async function sqliteUrl(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'picket-sqlite-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return `sqlite:${join(folder, 'picket.db')}`
}

/**
 * The URL of a database that no other test uses, empty too: PostgreSQL keeps replaced rows until every transaction of the
 * whole database that could read them is over.
 */
export async function lonelyDatabaseUrl(engine: Engine): Promise<string> {
  if (engine === 'sqlite') return sqliteUrl()
  const url = new URL(inject('postgresUrl'))
  url.pathname = await createNamed('database')
  return url.href
}

/** Makes one on the server of the tests, and returns its name. */
async function createNamed(what: 'database' | 'schema'): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const client = new Client({ connectionString: inject('postgresUrl') })
  await client.connect()
  try {
    await client.query(`create ${what} ${name}`)
  } finally {
    await client.end()
  }
  return name
}

/** A schema of its own: made in a tenth of the time that a database takes, and thrown away with the server. */
async function postgresUrl(): Promise<string> {
  const schema = await createNamed('schema')
  const url = new URL(inject('postgresUrl'))
  url.searchParams.set('options', `-c search_path=${schema}`)
  return url.href
}
