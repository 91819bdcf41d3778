import { AppError } from '../lib/app-error.ts'
import type { ServerConfig } from '../server/config.ts'

/**
 * The path of the service's SQLite file.
 * @param command what does this for PostgreSQL @throws AppError BACKUP_BY_POSTGRES
 */
export function sqlitePath({ databaseUrl }: ServerConfig, command: string): string {
  const [, path] = /^sqlite:(.+)$/.exec(databaseUrl.reveal()) ?? []
  if (path !== undefined && path !== ':memory:') return path
  throw new AppError(
    'BACKUP_BY_POSTGRES',
    `This works on an SQLite file. PostgreSQL has tools of its own:\n\n  ${command}\n\nKeep PICKET_SECRET_KEY with it, apart: without that key the secrets in the database are lost.`,
  )
}
