import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CamelCasePlugin, Kysely } from 'kysely'
import { AppError } from '../lib/app-error.ts'
import type { Schema } from './schema.ts'
import { sqliteDialect } from './sqlite-dialect.ts'

const inMemory = ':memory:'
const openingTimeoutMs = 5000

/**
 * Opens the file at `path`, and makes it and its folder where there are none; `:memory:` lives as long as it is open.
 * @throws AppError DATABASE_UNREACHABLE
 */
export function openSqlite(path: string): Kysely<Schema> {
  try {
    if (path !== inMemory) makeFile(path)
    return new Kysely({ dialect: sqliteDialect(openFile(path)), plugins: [new CamelCasePlugin()] })
  } catch (cause) {
    throw new AppError(
      'DATABASE_UNREACHABLE',
      `The SQLite file ${path} cannot be opened: it must be a database of Picket, and its folder writable for this process`,
      { cause },
    )
  }
}

/** Headers and passwords of checks are in it: it is for nobody else to read, and its logs take after it. */
function makeFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  closeSync(openSync(path, 'a', 0o600))
}

function openFile(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: openingTimeoutMs, enableForeignKeyConstraints: true })
  try {
    // Of a file that is made now; one that exists keeps its own. A result is about 2 KB: the preset of 4 KB holds one,
    // this holds three. Twice as much makes each write dearer than the room is worth (docs/benchmarks.md).
    database.exec('pragma page_size = 8192')
    database.exec('pragma journal_mode = wal')
    // In WAL mode NORMAL would lose the last commits in a power cut, and with them results that an agent was told are
    // stored and has forgotten. FULL syncs the log at every commit.
    database.exec('pragma synchronous = full')
    // In pages, 64 MB: results touch pages all over the file, and one that changes again is written back once.
    database.exec('pragma wal_autocheckpoint = 8000')
    // In KiB: the preset of 2 MB holds not even the index of 10,000 checks by their age.
    database.exec('pragma cache_size = -32768')
    // What a row held before it was sealed or deleted does not stay behind in the free part of its page.
    database.exec('pragma secure_delete = fast')
    // SQLite's own lower() knows ASCII only; PostgreSQL's knows every alphabet.
    database.function('lower', { deterministic: true }, (text) =>
      typeof text === 'string' ? text.toLowerCase() : text,
    )
    // From here on whoever finds it busy waits in SqlitePatience: SQLite's own wait would hold up the whole process.
    database.exec('pragma busy_timeout = 0')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}
