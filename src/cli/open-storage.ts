import { readServerConfig } from '../server/config.ts'
import { type Database, openDatabase } from '../storage/database.ts'
import { migrate } from '../storage/migrate.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Works on the service's database, brought up to date, and closes it whatever happens. @throws AppError, SettingsError */
export async function withStorage<T>(
  env: Env,
  work: (database: Database, applied: readonly string[]) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(readServerConfig(env).databaseUrl.reveal())
  try {
    return await work(database, await migrate(database))
  } finally {
    await database.close()
  }
}
