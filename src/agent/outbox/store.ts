import { closeSync, openSync, renameSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { gzipSync } from 'node:zlib'
import type { Batch, OutboxFault, OutboxSettings, OutboxStats } from './messages.ts'

/** WAL and FULL: a commit is on the disk. EXCLUSIVE: the file belongs to one process until that ends. */
const layout = `
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS records (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, bytes INTEGER NOT NULL, body TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS poison (
    seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, reason TEXT NOT NULL, body TEXT NOT NULL
  );
`

/** Of records that were set aside only the newest are kept. */
const maxPoison = 1000
const statements = {
  insert: 'INSERT INTO records (at, bytes, body) VALUES (?, ?, ?)',
  oldest: 'SELECT seq, bytes, body FROM records ORDER BY seq LIMIT ?',
  oldestAt: 'SELECT at FROM records ORDER BY seq LIMIT 1',
  remove: 'DELETE FROM records WHERE seq = ? RETURNING bytes',
  keepAside: 'INSERT OR REPLACE INTO poison SELECT seq, ?, ?, body FROM records WHERE seq = ?',
  trimAside: 'DELETE FROM poison WHERE seq NOT IN (SELECT seq FROM poison ORDER BY seq DESC LIMIT ?)',
} as const

const unreadableReason = 'the record cannot be read'
const corruptCodes: readonly (number | null)[] = [11, 26]

interface Row {
  readonly seq: number
  readonly bytes: number
  readonly body: string
}

export function faultOf(error: unknown): OutboxFault {
  const message = error instanceof Error ? error.message : String(error)
  const code = error instanceof Error && 'errcode' in error ? error.errcode : null
  // The low byte is the result code; the rest refines it.
  return { message, sqliteCode: typeof code === 'number' ? code & 0xff : null }
}

/** A file that SQLite cannot read is renamed and a new one begun: it must not keep the agent from its work. */
function open(path: string, now: number): DatabaseSync {
  for (let tries = 1; ; tries += 1) {
    closeSync(openSync(path, 'a', 0o600))
    const database = new DatabaseSync(path, { timeout: 0 })
    try {
      database.exec(layout)
      return database
    } catch (error) {
      database.close()
      if (tries > 1 || !corruptCodes.includes(faultOf(error).sqliteCode)) throw error
      renameSync(path, `${path}.corrupt-${now}`)
    }
  }
}

interface Fill {
  readonly depth: number
  readonly bytes: number
}

/** Unsent results in an SQLite file, oldest first. For the outbox's own thread: everything here waits for the disk. */
export class OutboxStore {
  readonly #database: DatabaseSync
  readonly #settings: OutboxSettings
  readonly #now: () => number
  readonly #sql: Readonly<Record<keyof typeof statements, StatementSync>>
  #dropped = { size: 0, age: 0 }
  #unreadable = 0
  #fill: Fill
  #oldestAt: number | null = null

  /** @throws where the file belongs to another process or cannot be written */
  constructor(settings: OutboxSettings, now: () => number = Date.now) {
    this.#settings = settings
    this.#now = now
    const database = open(settings.path, now())
    this.#database = database
    this.#sql = {
      insert: database.prepare(statements.insert),
      oldest: database.prepare(statements.oldest),
      oldestAt: database.prepare(statements.oldestAt),
      remove: database.prepare(statements.remove),
      keepAside: database.prepare(statements.keepAside),
      trimAside: database.prepare(statements.trimAside),
    }
    const sums = database.prepare('SELECT count(*) AS depth, total(bytes) AS bytes FROM records').get()
    this.#fill = { depth: Number(sums?.['depth']), bytes: Number(sums?.['bytes']) }
    this.#lookAtOldest()
  }

  get stats(): OutboxStats {
    const dropped = { ...this.#dropped }
    return { ...this.#fill, oldestAt: this.#oldestAt, dropped, unreadable: this.#unreadable }
  }

  /** All of them or, when it throws, none. */
  put(bodies: readonly string[]): void {
    const at = this.#now()
    this.#transaction(() => {
      for (const body of bodies) {
        const bytes = Buffer.byteLength(body)
        this.#sql.insert.run(at, bytes, body)
        this.#count(1, bytes)
      }
      this.#dropExcess()
    })
  }

  /** The oldest records, up to these bounds but at least one; null when there is none. */
  take(maxRecords: number, maxBytes: number): Batch | null {
    this.#transaction(() => this.#dropExcess())
    for (;;) {
      const oldest = upTo(this.#readOldest(maxRecords), maxBytes)
      if (oldest.length === 0) return null
      const readable = oldest.filter(isWhole)
      if (readable.length > 0 && readable.length === oldest.length) return this.#batch(readable)
      for (const row of oldest) if (!readable.includes(row)) this.setAside(row.seq, unreadableReason)
      this.#unreadable += oldest.length - readable.length
    }
  }

  remove(seqs: readonly number[]): void {
    this.#transaction(() => {
      for (const seq of seqs) this.#delete(seq)
    })
  }

  /** Out of the way of the others, and kept with the reason for a person to look at. */
  setAside(seq: number, reason: string): void {
    this.#transaction(() => {
      this.#sql.keepAside.run(this.#now(), reason, seq)
      this.#sql.trimAside.run(maxPoison)
      this.#delete(seq)
    })
  }

  close(): void {
    this.#database.close()
  }

  #batch(records: readonly Row[]): Batch {
    const { agentId } = this.#settings
    const results = records.map(({ body }) => body).join(',')
    const body = gzipSync(`{"agentId":${JSON.stringify(agentId)},"results":[${results}]}`, { level: 1 })
    return { seqs: records.map(({ seq }) => seq), body }
  }

  #readOldest(limit: number): Row[] {
    return this.#sql.oldest.all(limit).map((row) => ({
      seq: Number(row['seq']),
      bytes: Number(row['bytes']),
      body: String(row['body']),
    }))
  }

  #dropExcess(): void {
    const { maxAgeMs, maxBytes } = this.#settings
    const tooOld = this.#now() - maxAgeMs
    for (;;) {
      this.#lookAtOldest()
      if (this.#oldestAt === null) return
      const reason = this.#fill.bytes > maxBytes ? 'size' : this.#oldestAt < tooOld ? 'age' : null
      if (reason === null) return
      for (const { seq } of this.#readOldest(1)) this.#delete(seq)
      this.#dropped = { ...this.#dropped, [reason]: this.#dropped[reason] + 1 }
    }
  }

  #delete(seq: number): void {
    const removed = this.#sql.remove.get(seq)
    if (removed) this.#count(-1, -Number(removed['bytes']))
  }

  #count(records: number, bytes: number): void {
    this.#fill = { depth: this.#fill.depth + records, bytes: this.#fill.bytes + bytes }
  }

  #lookAtOldest(): void {
    const oldest = this.#sql.oldestAt.get()
    this.#oldestAt = oldest ? Number(oldest['at']) : null
  }

  #transaction(steps: () => void): void {
    const before = { dropped: this.#dropped, fill: this.#fill }
    this.#database.exec('BEGIN IMMEDIATE')
    try {
      steps()
      this.#database.exec('COMMIT')
    } catch (error) {
      this.#dropped = before.dropped
      this.#fill = before.fill
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
      throw error
    } finally {
      this.#lookAtOldest()
    }
  }
}

function upTo(records: readonly Row[], maxBytes: number): readonly Row[] {
  let bytes = 0
  const over = records.findIndex((row, index) => {
    bytes += row.bytes
    return index > 0 && bytes > maxBytes
  })
  return over === -1 ? records : records.slice(0, over)
}

/** Parsing each would cost more than all else here: one that is broken within is refused by the service, and set aside then. */
function isWhole({ body, bytes }: Row): boolean {
  return body.startsWith('{') && body.endsWith('}') && Buffer.byteLength(body) === bytes
}
