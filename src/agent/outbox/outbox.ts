import { join } from 'node:path'
import { AppError } from '../../lib/app-error.ts'
import { backoffMs } from '../../lib/backoff.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Secret } from '../../lib/secret.ts'
import { sleep } from '../../lib/sleep.ts'
import {
  type Batch,
  emptyStats,
  type OutboxCall,
  type OutboxContent,
  type OutboxReply,
  type OutboxStats,
} from './messages.ts'
import { openingError, setAsideTexts } from './opening.ts'
import { readOutboxKey } from './outbox-key.ts'
import { OutboxThread } from './outbox-thread.ts'

export interface OutboxOptions {
  readonly dataDir: string
  readonly content: OutboxContent
  readonly agentId: string
  /** Over this size, or older than this age, the oldest records are dropped. */
  readonly maxBytes: number
  readonly maxAgeMs: number
  /** What records are sealed with; undefined for a secret in a file of the data folder. */
  readonly key: Secret | undefined
  /** Epoch ms by the service's clock; null while nobody knows it. */
  readonly serviceTime: () => number | null
  readonly logger: Logger
  /** Some were dropped unsent since the last call. */
  readonly onDropped: (reason: 'size' | 'age', records: number) => void
  /** Records are there to be sent. */
  readonly onStored: () => void
}

interface Gathered extends PromiseWithResolvers<OutboxReply> {
  readonly bodies: string[]
  readonly timer: NodeJS.Timeout
}

/** In PICKET_DATA_DIR. */
export const outboxFiles: Readonly<Record<OutboxContent, string>> = {
  results: 'outbox.db',
  pings: 'pings.db',
}
/** No run waits for it: its slot is free, and its lease is held until the result is on the disk. */
const gatherMs = 20

/**
 * Finished results, or pings that were taken, on their way to the service, in a file that survives this process. The disk
 * is written from a thread of its own. Use `openOutbox`.
 */
export class Outbox {
  readonly #options: OutboxOptions
  readonly #thread: OutboxThread
  readonly #closing = new AbortController()
  #unwritable = false
  /** What was told of dropped and unreadable records. */
  #told = emptyStats
  #gathered: Gathered | null = null

  /** @param key 32 bytes */
  constructor(options: OutboxOptions, key: Uint8Array) {
    this.#options = options
    const { dataDir, content, agentId, maxBytes, maxAgeMs, serviceTime } = options
    const path = join(dataDir, outboxFiles[content])
    this.#thread = new OutboxThread({ path, content, agentId, maxBytes, maxAgeMs, key }, serviceTime)
  }

  /** Rejects when its thread ended by itself: no result can be kept any more. */
  get failed(): Promise<never> {
    return this.#thread.failed
  }

  /** As of the last call. */
  get stats(): OutboxStats {
    return this.#thread.stats
  }

  /** @throws AppError OUTBOX_IN_USE or OUTBOX_UNUSABLE */
  async opened(): Promise<void> {
    const { fault, setAside } = await this.#thread.opened
    if (fault) throw openingError(fault)
    if (setAside) this.#options.logger.error({ path: setAside.path }, setAsideTexts[setAside.reason])
  }

  /** Resolves when the record is on the disk; a full or failing disk is tried again until the outbox is closed. */
  async put(record: object): Promise<void> {
    const body = JSON.stringify(record)
    for (let tries = 1; ; tries += 1) {
      const error = await this.#writeOnce(body)
      if (!error) return
      if (this.#closing.signal.aborted) throw error
      await sleep(backoffMs(tries, 200, 5000, Math.random), this.#closing.signal)
    }
  }

  /** As `put`, but whoever waits for it is told at once that the disk takes nothing. @throws AppError OUTBOX_WRITE_FAILED */
  async tryPut(record: object): Promise<void> {
    const error = await this.#writeOnce(JSON.stringify(record))
    if (error) throw error
  }

  async #writeOnce(body: string): Promise<AppError | null> {
    const { fault } = await this.#write(body)
    if (!fault) {
      this.#onWritten()
      return null
    }
    const error = new AppError('OUTBOX_WRITE_FAILED', 'A record could not be written to the outbox', {
      cause: new Error(fault.message),
    })
    this.#onUnwritten(error)
    return error
  }

  #onWritten(): void {
    const { logger, content, onStored } = this.#options
    if (this.#unwritable) logger.info(`${content} can be written again`)
    this.#unwritable = false
    onStored()
  }

  /** Said once, however many records wait for the disk. */
  #onUnwritten(err: AppError): void {
    const { logger, content } = this.#options
    const text = `${content} cannot be written: look at the disk of PICKET_DATA_DIR and its room`
    if (!this.#unwritable && !this.#closing.signal.aborted) logger.error({ err }, text)
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
    await this.#thread.close()
  }

  /** Records that come shortly after each other cross to the thread, and wait for the disk, together. */
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

  async #ask(call: OutboxCall): Promise<OutboxReply> {
    const reply = await this.#thread.ask(call)
    this.#tellDropped(reply.stats)
    return reply
  }

  #tellDropped(now: OutboxStats): void {
    const { logger, content, onDropped } = this.#options
    const before = this.#told
    this.#told = now
    for (const reason of ['size', 'age'] as const) {
      const records = now.dropped[reason] - before.dropped[reason]
      if (records === 0) continue
      onDropped(reason, records)
      logger.warn({ records, reason }, `the outbox dropped its oldest unsent ${content}`)
    }
    const unreadable = now.unreadable - before.unreadable
    if (unreadable > 0)
      logger.error({ records: unreadable }, 'unreadable records of the outbox were set aside')
  }
}

/**
 * Opens the outbox of a data folder for this process alone.
 * @throws AppError OUTBOX_IN_USE, OUTBOX_UNUSABLE or OUTBOX_KEY_UNUSABLE
 */
export async function openOutbox(options: OutboxOptions): Promise<Outbox> {
  const outbox = new Outbox(options, await readOutboxKey(options.dataDir, options.key))
  try {
    await outbox.opened()
    return outbox
  } catch (error) {
    await outbox.close()
    throw error
  }
}
