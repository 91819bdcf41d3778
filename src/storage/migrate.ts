import { sql } from 'kysely'
import { AppError } from '../lib/app-error.ts'
import type { Database } from './database.ts'
import { migrations } from './migrations.ts'
import { takeTurn } from './take-turn.ts'

/**
 * Brings the schema up to date and returns the names of the migrations applied, in order: all of them or, on an error,
 * none. Processes that start at once take turns, and those that come later find nothing to do.
 * @throws AppError SCHEMA_TOO_NEW
 */
export function migrate(database: Database): Promise<readonly string[]> {
  const { engine } = database
  return database.transaction(async (db) => {
    await takeTurn(db)
    await sql`create table if not exists migrations (name text not null primary key)`.execute(db)
    const rows = await db.selectFrom('migrations').select('name').execute()
    const applied = new Set(rows.map(({ name }) => name))
    assertKnown(applied)
    const pending = migrations.filter(({ name }) => !applied.has(name))
    for (const { name, up } of pending) {
      await up(db, engine)
      await db.insertInto('migrations').values({ name }).execute()
    }
    return pending.map(({ name }) => name)
  })
}

/**
 * For what only looks in: bringing the schema up to date under a service that runs is for `migrate` alone.
 * @throws AppError DATABASE_MISSING, SCHEMA_OUTDATED, SCHEMA_TOO_NEW
 */
export async function assertUpToDate({ kysely, engine }: Database): Promise<void> {
  // Of PostgreSQL where the session looks, as for all that follows.
  const found =
    engine === 'sqlite'
      ? sql`select 1 from sqlite_schema where name = 'migrations'`
      : sql`select 1 where to_regclass('migrations') is not null`
  if ((await found.execute(kysely)).rows.length === 0) {
    throw new AppError(
      'DATABASE_MISSING',
      'The database that PICKET_DATABASE_URL names is empty: the first start of the service fills it',
    )
  }
  const rows = await kysely.selectFrom('migrations').select('name').execute()
  const applied = new Set(rows.map(({ name }) => name))
  assertKnown(applied)
  if (migrations.every(({ name }) => applied.has(name))) return
  throw new AppError(
    'SCHEMA_OUTDATED',
    'The database schema is older than this version of Picket: start the service of this version, or stop the one that runs and say `picket migrate`',
  )
}

function assertKnown(applied: ReadonlySet<string>): void {
  const unknown = [...applied].filter((name) => migrations.every((migration) => migration.name !== name))
  if (unknown.length === 0) return
  throw new AppError(
    'SCHEMA_TOO_NEW',
    'The database schema is newer than this version of Picket: start the version that brought it up to date, or a later one',
    { fatal: true, cause: new Error(`migrations not known here: ${unknown.join(', ')}`) },
  )
}
