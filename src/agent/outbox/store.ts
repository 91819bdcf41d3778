import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { AgeClock, type AgeMark } from './age-clock.ts'
import { Batches, isWhole, type OutboxRecord, upTo } from './batches.ts'
import type { Batch, OutboxSettings, OutboxStats, SetAsideFile } from './messages.ts'
import { openOutboxFile } from './outbox-file.ts'
import { RecordSealer } from './record-sealer.ts'

/** Of records that were set aside only the newest are kept. */
const maxPoison = 1000
const statements = {
  insert: 'INSERT INTO records (at, bytes, body) VALUES (?, ?, ?)',
  oldest: 'SELECT seq, at, bytes, body FROM records ORDER BY seq LIMIT ?',
  oldestAt: 'SELECT at FROM records ORDER BY seq LIMIT 1',
  remove: 'DELETE FROM records WHERE seq = ? RETURNING bytes',
  keepAside: 'INSERT OR REPLACE INTO poison SELECT seq, ?, ?, body FROM records WHERE seq = ?',
  trimAside: 'DELETE FROM poison WHERE seq NOT IN (SELECT seq FROM poison ORDER BY seq DESC LIMIT ?)',
  rejuvenate: 'UPDATE records SET at = at + ? WHERE seq > ?',
  mark: 'UPDATE facts SET at = ?, wall_at = ?, service_at = ?',
} as const

const unreadableReason = 'the record cannot be read'
/** While nothing is put, the clock of ages is written down this often. */
const markEveryMs = 60_000

interface Fill {
  readonly depth: number
  readonly bytes: number
}

/**
 * Unsent records in an SQLite file, sealed, oldest first. `bytes` are those of the records in clear. For the outbox's
 * own thread: everything here waits for the disk.
 */
export class OutboxStore {
  /** The file that was in this one's place and could not be used. */
  readonly setAsideFile: SetAsideFile | null
  readonly #database: DatabaseSync
  readonly #settings: OutboxSettings
  readonly #sealer: RecordSealer
  readonly #ages: AgeClock
  readonly #sql: Readonly<Record<keyof typeof statements, StatementSync>>
  #dropped = { size: 0, age: 0 }
  #unreadable = 0
  #fill: Fill
  #oldestAt: number | null = null
  #markedAt: number
  /** In this process. */
  #hasPut = false
  /** Records up to here are of earlier processes. */
  readonly #lastSeqBefore: number
  #serviceAt: number | null = null
  readonly #batches: Batches

  /** @throws where the file belongs to another process or cannot be written */
  constructor(settings: OutboxSettings, clock: Clock = systemClock) {
    this.#settings = settings
    this.#batches = new Batches(settings)
    this.#sealer = new RecordSealer(settings.key)
    const { database, setAside } = openOutboxFile(settings.path, this.#sealer, clock.now())
    this.#database = database
    this.setAsideFile = setAside
    this.#sql = {
      insert: database.prepare(statements.insert),
      oldest: database.prepare(statements.oldest),
      oldestAt: database.prepare(statements.oldestAt),
      remove: database.prepare(statements.remove),
      keepAside: database.prepare(statements.keepAside),
      trimAside: database.prepare(statements.trimAside),
      rejuvenate: database.prepare(statements.rejuvenate),
      mark: database.prepare(statements.mark),
    }
    this.#ages = new AgeClock(clock, readMark(database))
    this.#markedAt = this.#ages.now()
    const sums = database
      .prepare('SELECT count(*) AS depth, total(bytes) AS bytes, coalesce(max(seq), 0) AS seq FROM records')
      .get()
    this.#lastSeqBefore = Number(sums?.['seq'])
    this.#fill = { depth: Number(sums?.['depth']), bytes: Number(sums?.['bytes']) }
    this.#lookAtOldest()
  }

  get stats(): OutboxStats {
    const dropped = { ...this.#dropped }
    const oldestAgeMs = this.#oldestAt === null ? null : Math.max(0, this.#ages.now() - this.#oldestAt)
    return { ...this.#fill, oldestAgeMs, dropped, unreadable: this.#unreadable }
  }

  /** What the service's clock shows, before each call; null while nobody knows. */
  tellServiceTime(serviceAt: number | null): void {
    this.#serviceAt = serviceAt
    const aheadMs = serviceAt === null ? 0 : this.#ages.meet(serviceAt)
    // What this process put was not there in the time that is counted now.
    if (aheadMs > 0) this.#transaction(() => this.#sql.rejuvenate.run(aheadMs, this.#lastSeqBefore))
  }

  /** All of them or, when it throws, none. */
  put(bodies: readonly string[]): void {
    this.#hasPut = true
    this.#transaction(() => {
      const at = this.#ages.now()
      for (const body of bodies) {
        const bytes = Buffer.byteLength(body)
        this.#sql.insert.run(at, bytes, this.#sealer.seal(body))
        this.#count(1, bytes)
      }
      this.#dropExcess()
      this.#mark()
    })
  }

  /** The oldest records, up to these bounds but at least one; null when there is none. */
  take(maxRecords: number, maxBytes: number): Batch | null {
    this.#transaction(() => {
      this.#dropExcess()
      if (this.#fill.depth > 0 && this.#ages.now() - this.#markedAt >= markEveryMs) this.#mark()
    })
    for (;;) {
      const oldest = upTo(this.#readOldest(maxRecords), maxBytes)
      if (oldest.length === 0) return null
      const readable = oldest.filter(isWhole)
      if (readable.length === oldest.length)
        return this.#batches.of(readable, { now: this.#ages.now(), serviceAt: this.#serviceAt })
      for (const row of oldest) if (!isWhole(row)) this.setAside(row.seq, unreadableReason)
      this.#unreadable += oldest.length - readable.length
    }
  }

  remove(seqs: readonly number[]): void {
    this.#transaction(() => {
      for (const seq of seqs) this.#delete(seq)
    })
  }

  /** Out of the way of the others, sealed as it was, with the reason. */
  setAside(seq: number, reason: string): void {
    this.#transaction(() => {
      this.#sql.keepAside.run(this.#ages.now(), reason, seq)
      this.#sql.trimAside.run(maxPoison)
      this.#delete(seq)
    })
  }

  close(): void {
    try {
      this.#mark()
    } finally {
      this.#database.close()
    }
  }

  #readOldest(limit: number): OutboxRecord[] {
    return this.#sql.oldest.all(limit).map(({ seq, at, bytes, body }) => ({
      seq: Number(seq),
      at: Number(at),
      bytes: Number(bytes),
      body: body instanceof Uint8Array ? this.#sealer.open(body) : null,
    }))
  }

  #dropExcess(): void {
    const { maxAgeMs, maxBytes } = this.#settings
    const tooOld = this.#ages.now() - maxAgeMs
    for (;;) {
      this.#lookAtOldest()
      if (this.#oldestAt === null) return
      const reason = this.#fill.bytes > maxBytes ? 'size' : this.#oldestAt < tooOld ? 'age' : null
      if (reason === null) return
      for (const row of this.#sql.oldest.all(1)) this.#delete(Number(row['seq']))
      this.#dropped = { ...this.#dropped, [reason]: this.#dropped[reason] + 1 }
    }
  }

  #delete(seq: number): void {
    this.#batches.forget(seq)
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

  #mark(): void {
    const { at, wallAt, serviceAt } = this.#ages.mark(this.#hasPut)
    this.#sql.mark.run(at, wallAt, serviceAt)
    this.#markedAt = at
  }

  #transaction(steps: () => unknown): void {
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

function readMark(database: DatabaseSync): AgeMark | null {
  const facts = database.prepare('SELECT at, wall_at, service_at FROM facts').get()
  const serviceAt = facts?.['service_at'] ?? null
  if (!facts) return null
  const known = serviceAt === null ? null : Number(serviceAt)
  return { at: Number(facts['at']), wallAt: Number(facts['wall_at']), serviceAt: known }
}
