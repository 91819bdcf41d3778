import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Result } from '../../contract/result.ts'
import { AppError } from '../../lib/app-error.ts'
import { backoffMs } from '../../lib/backoff.ts'
import type { Logger } from '../../lib/logger.ts'
import { sleep } from '../../lib/sleep.ts'
import type { Batch, OutboxCall, OutboxFault, OutboxReply, OutboxSettings, OutboxStats } from './messages.ts'
import { emptyStats } from './messages.ts'

export interface OutboxOptions {
  readonly dataDir: string
  readonly agentId: string
  /** Over this size, or older than this age, the oldest records are dropped. */
  readonly maxBytes: number
  readonly maxAgeMs: number
  readonly logger: Logger
  /** Some were dropped unsent since the last call. */
  readonly onDropped: (reason: 'size' | 'age', records: number) => void
  /** Records are there to be sent. */
  readonly onStored: () => void
}

type Waiting = { readonly resolve: (reply: OutboxReply) => void; readonly reject: (error: AppError) => void }

interface Gathered extends PromiseWithResolvers<OutboxReply> {
  readonly bodies: string[]
  readonly timer: NodeJS.Timeout
}

const sqliteBusy = 5
/** Nobody waits for it: the run's slot is free, and its lease is held until the result is on the disk. */
const gatherMs = 20
const workerFile = import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js'

/**
 * Finished results on their way to the service, in a file that survives this process. The disk is written from a
 * thread of its own. Use `openOutbox`.
 */
export class Outbox {
  readonly #options: OutboxOptions
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  readonly #closing = new AbortController()
  readonly #failed = Promise.withResolvers<never>()
  #stats = emptyStats
  #lastId = 0
  #gone: AppError | null = null
  #unwritable = false
  #gathered: Gathered | null = null

  constructor(options: OutboxOptions) {
    this.#options = options
    const { dataDir, agentId, maxBytes, maxAgeMs } = options
    const settings: OutboxSettings = { path: join(dataDir, 'outbox.db'), agentId, maxBytes, maxAgeMs }
    this.#worker = new Worker(new URL(workerFile, import.meta.url), { workerData: settings })
    this.#worker.on('message', (reply: OutboxReply) => this.#onReply(reply))
    this.#worker.on('error', (cause) => this.#onGone(cause))
    this.#worker.on('exit', () => this.#onGone(null))
    this.#failed.promise.catch(() => {})
  }

  /** Rejects when its thread ended by itself: no result can be kept any more. */
  get failed(): Promise<never> {
    return this.#failed.promise
  }

  get stats(): OutboxStats {
    return this.#stats
  }

  /** @throws AppError OUTBOX_IN_USE or OUTBOX_UNUSABLE */
  async opened(): Promise<void> {
    const { fault } = await this.#reply(0)
    if (fault) throw openingError(fault)
  }

  /** Resolves when the result is on the disk; a full or failing disk is tried again until the outbox is closed. */
  async put(result: Result): Promise<void> {
    const body = JSON.stringify(result)
    for (let tries = 1; ; tries += 1) {
      const { fault } = await this.#write(body)
      if (!fault) return this.#onWritten()
      const error = new AppError('OUTBOX_WRITE_FAILED', 'A result could not be written to the outbox', {
        cause: new Error(fault.message),
      })
      if (this.#closing.signal.aborted) throw error
      this.#onUnwritten(error)
      await sleep(backoffMs(tries, 200, 5000, Math.random), this.#closing.signal)
    }
  }

  #onWritten(): void {
    const { logger, onStored } = this.#options
    if (this.#unwritable) logger.info('results can be written again')
    this.#unwritable = false
    onStored()
  }

  /** Said once, however many results wait for the disk. */
  #onUnwritten(err: AppError): void {
    const text = 'results cannot be written: trying again. Look at the disk of PICKET_DATA_DIR and its room'
    if (!this.#unwritable) this.#options.logger.error({ err }, text)
    this.#unwritable = true
  }

  /** The oldest records, up to these bounds but at least one; null when there is none. */
  async take(maxRecords: number, maxBytes: number): Promise<Batch | null> {
    return (await this.#call({ kind: 'take', maxRecords, maxBytes })).batch
  }

  async remove(seqs: readonly number[]): Promise<void> {
    await this.#call({ kind: 'remove', seqs })
  }

  /** A record that can never be sent: out of the way of those behind it. */
  async setAside(seq: number, reason: string): Promise<void> {
    await this.#call({ kind: 'set-aside', seq, reason })
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.#sendGathered()
    if (!this.#gone) await this.#ask({ kind: 'close' }).catch(() => {})
    await this.#worker.terminate()
  }

  /** Results that come shortly after each other cross to the thread, and wait for the disk, together. */
  #write(body: string): Promise<OutboxReply> {
    if (!this.#gathered) {
      const timer = setTimeout(() => this.#sendGathered(), gatherMs)
      this.#gathered = { bodies: [], timer, ...Promise.withResolvers<OutboxReply>() }
    }
    this.#gathered.bodies.push(body)
    return this.#gathered.promise
  }

  #sendGathered(): void {
    if (!this.#gathered) return
    const { bodies, timer, resolve, reject } = this.#gathered
    this.#gathered = null
    clearTimeout(timer)
    this.#ask({ kind: 'put', bodies }).then(resolve, reject)
  }

  async #call(call: OutboxCall): Promise<OutboxReply> {
    const reply = await this.#ask(call)
    if (!reply.fault) return reply
    throw new AppError('OUTBOX_FAILED', 'The outbox could not be read or written', {
      cause: new Error(reply.fault.message),
    })
  }

  #ask(call: OutboxCall): Promise<OutboxReply> {
    this.#lastId += 1
    const reply = this.#reply(this.#lastId)
    this.#worker.postMessage({ id: this.#lastId, call })
    return reply
  }

  #reply(id: number): Promise<OutboxReply> {
    if (this.#gone) return Promise.reject(this.#gone)
    const { promise, resolve, reject } = Promise.withResolvers<OutboxReply>()
    this.#waiting.set(id, { resolve, reject })
    return promise
  }

  #onReply(reply: OutboxReply): void {
    const before = this.#stats
    this.#stats = reply.stats
    this.#tellDropped(before, reply.stats)
    const waiting = this.#waiting.get(reply.id)
    this.#waiting.delete(reply.id)
    waiting?.resolve(reply)
  }

  #tellDropped(before: OutboxStats, now: OutboxStats): void {
    const { logger, onDropped } = this.#options
    for (const reason of ['size', 'age'] as const) {
      const records = now.dropped[reason] - before.dropped[reason]
      if (records === 0) continue
      onDropped(reason, records)
      logger.warn({ records, reason }, 'the outbox dropped its oldest unsent results')
    }
    const unreadable = now.unreadable - before.unreadable
    if (unreadable > 0)
      logger.error({ records: unreadable }, 'unreadable records of the outbox were set aside')
  }

  #onGone(cause: unknown): void {
    if (this.#gone) return
    this.#gone = new AppError('OUTBOX_GONE', 'The thread of the outbox ended', { fatal: true, cause })
    for (const { reject } of this.#waiting.values()) reject(this.#gone)
    this.#waiting.clear()
    if (!this.#closing.signal.aborted) this.#failed.reject(this.#gone)
  }
}

function openingError(fault: OutboxFault): AppError {
  const details = { fatal: true, cause: new Error(fault.message) }
  return fault.sqliteCode === sqliteBusy
    ? new AppError(
        'OUTBOX_IN_USE',
        'Another agent is using this PICKET_DATA_DIR: give each agent a folder of its own',
        details,
      )
    : new AppError('OUTBOX_UNUSABLE', 'The outbox in PICKET_DATA_DIR cannot be opened', details)
}

/** Opens the outbox of a data folder for this process alone. @throws AppError OUTBOX_IN_USE or OUTBOX_UNUSABLE */
export async function openOutbox(options: OutboxOptions): Promise<Outbox> {
  const outbox = new Outbox(options)
  try {
    await outbox.opened()
    return outbox
  } catch (error) {
    await outbox.close()
    throw error
  }
}
