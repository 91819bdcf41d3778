import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { AppError } from '../lib/app-error.ts'
import { readServerConfig } from '../server/config.ts'
import { type Database, openDatabase } from '../storage/database.ts'
import { assertUpToDate, migrate } from '../storage/migrate.ts'
import { sqliteFile } from './sqlite-path.ts'

type Env = Readonly<Record<string, string | undefined>>

/**
 * Works on the service's database and closes it whatever happens. There must be one, of this version: an empty one in the
 * wrong place would have nothing to show, and look well.
 * @throws AppError DATABASE_MISSING, SCHEMA_OUTDATED and those of opening it, SettingsError
 */
export async function withStorage<T>(env: Env, work: (database: Database) => Promise<T>): Promise<T> {
  const path = sqliteFile(readServerConfig(env))
  if (path !== null && !existsSync(path)) {
    throw new AppError(
      'DATABASE_MISSING',
      `There is no database at ${resolve(path)}: PICKET_DATA_DIR and PICKET_DATABASE_URL say where it is, and the first start of the service makes it`,
    )
  }
  return onceOpened(env, async (database) => {
    await assertUpToDate(database)
    return work(database)
  })
}

/** Brings the database up to date, and makes an SQLite one where there is none. Returns the migrations applied. */
export const bringUpToDate = (env: Env): Promise<readonly string[]> => onceOpened(env, migrate)

async function onceOpened<T>(env: Env, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(readServerConfig(env).databaseUrl.reveal())
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}
