import { AppError } from '../lib/app-error.ts'
import type { ServerConfig } from '../server/config.ts'

/** The path of the service's SQLite file; null where its database is none. */
export function sqliteFile({ databaseUrl }: ServerConfig): string | null {
  const [, path] = /^sqlite:(.+)$/.exec(databaseUrl.reveal()) ?? []
  return path === undefined || path === ':memory:' ? null : path
}

/**
 * The path of the service's SQLite file.
 * @param command what does this for PostgreSQL @throws AppError BACKUP_BY_POSTGRES
 */
export function sqlitePath(config: ServerConfig, command: string): string {
  const path = sqliteFile(config)
  if (path !== null) return path
  throw new AppError(
    'BACKUP_BY_POSTGRES',
    `This works on an SQLite file. PostgreSQL has tools of its own:\n\n  ${command}\n\nKeep PICKET_SECRET_KEY with it, apart: without that key the secrets in the database are lost.`,
  )
}
