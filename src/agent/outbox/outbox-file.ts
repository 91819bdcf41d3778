import { closeSync, existsSync, openSync, renameSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { OutboxFault, SetAsideFile } from './messages.ts'
import type { RecordSealer } from './record-sealer.ts'

/** Of the tables and of what is in them. 0: records in clear, by the wall clock. */
const knownLayout = 1

/** WAL and FULL: a commit is on the disk. EXCLUSIVE: the file belongs to one process until that ends. */
const pragmas = `
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
`
const tables = `
  CREATE TABLE IF NOT EXISTS records (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, bytes INTEGER NOT NULL, body BLOB NOT NULL
  );
  CREATE TABLE IF NOT EXISTS poison (
    seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, reason TEXT NOT NULL, body BLOB NOT NULL
  );
  CREATE TABLE IF NOT EXISTS facts (
    id INTEGER PRIMARY KEY CHECK (id = 1), proof BLOB NOT NULL,
    at INTEGER NOT NULL, wall_at INTEGER NOT NULL, service_at INTEGER
  );
`

const proofText = 'picket'
const corruptCodes: readonly (number | null)[] = [11, 26]

export function faultOf(error: unknown): OutboxFault {
  const message = error instanceof Error ? error.message : String(error)
  const code = error instanceof Error && 'errcode' in error ? error.errcode : null
  // The low byte is the result code; the rest refines it.
  return { message, sqliteCode: typeof code === 'number' ? code & 0xff : null }
}

export interface OutboxFile {
  readonly database: DatabaseSync
  /** Where a file that could not be used was put. */
  readonly setAside: SetAsideFile | null
}

/**
 * Opens the file and brings an older layout up to date. One that cannot be used is renamed and another begun: it must
 * not keep the agent from its work, and its results are there for whoever can read it.
 * @throws where the file belongs to another process or cannot be written
 */
export function openOutboxFile(path: string, sealer: RecordSealer, now: number): OutboxFile {
  const first = attempt(path, sealer, now)
  if ('database' in first) return { database: first.database, setAside: null }
  const to = freeName(`${path}.${first.reason}-${now}`)
  renameSync(path, to)
  const second = attempt(path, sealer, now)
  if ('database' in second) return { database: second.database, setAside: { reason: first.reason, path: to } }
  throw new Error(`a new outbox is ${second.reason}`)
}

type Attempt = { readonly database: DatabaseSync } | { readonly reason: SetAsideFile['reason'] }

function attempt(path: string, sealer: RecordSealer, now: number): Attempt {
  closeSync(openSync(path, 'a', 0o600))
  const database = new DatabaseSync(path, { timeout: 0 })
  let reason: SetAsideFile['reason'] | null = null
  try {
    database.exec(pragmas)
    reason = prepare(database, sealer, now)
    if (reason === null) return { database }
  } catch (error) {
    database.close()
    if (!corruptCodes.includes(faultOf(error).sqliteCode)) throw error
    return { reason: 'corrupt' }
  }
  database.close()
  return { reason }
}

function prepare(database: DatabaseSync, sealer: RecordSealer, now: number): 'newer' | 'other-key' | null {
  const layout = Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
  if (layout > knownLayout) return 'newer'
  if (layout < knownLayout) bringUpToDate(database, sealer, now)
  const proof = database.prepare('SELECT proof FROM facts').get()?.['proof']
  return proof instanceof Uint8Array && sealer.open(proof) === proofText ? null : 'other-key'
}

/** What stood in clear is sealed. The file is of this layout when nothing is left in it of what stood there. */
function bringUpToDate(database: DatabaseSync, sealer: RecordSealer, now: number): void {
  database.exec('BEGIN IMMEDIATE')
  database.exec(tables)
  for (const table of ['records', 'poison']) seal(database, sealer, table)
  // Nobody knows how long its records have waited since the newest of them: no time is counted.
  const newest = database.prepare('SELECT max(at) AS at FROM records').get()?.['at'] ?? now
  const facts = database.prepare('INSERT OR IGNORE INTO facts VALUES (1, ?, ?, ?, NULL)')
  facts.run(sealer.seal(proofText), newest, now)
  database.exec('COMMIT')
  try {
    database.exec(`VACUUM; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA user_version = ${knownLayout}`)
  } catch {
    // No room to write it anew: the next start tries again, and results can be kept meanwhile.
  }
}

function seal(database: DatabaseSync, sealer: RecordSealer, table: string): void {
  const body = database.prepare(`SELECT body FROM ${table} WHERE seq = ?`)
  const update = database.prepare(`UPDATE ${table} SET body = ? WHERE seq = ?`)
  for (const { seq = null } of database.prepare(`SELECT seq FROM ${table}`).all()) {
    const text = body.get(seq)?.['body']
    if (typeof text === 'string') update.run(sealer.seal(text), seq)
  }
}

function freeName(name: string): string {
  for (let n = 1; ; n += 1) {
    const candidate = n === 1 ? name : `${name}-${n}`
    if (!existsSync(candidate)) return candidate
  }
}
