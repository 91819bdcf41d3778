import { Worker } from 'node:worker_threads'
import { AppError } from '../../lib/app-error.ts'
import {
  emptyStats,
  type OutboxCall,
  type OutboxReply,
  type OutboxRequest,
  type OutboxSettings,
  type OutboxStats,
} from './messages.ts'

type Waiting = Pick<PromiseWithResolvers<OutboxReply>, 'resolve' | 'reject'>

const workerFile = import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js'
/** The opening is answered like a call. */
const openingId = 0

/** The outbox's own thread (worker.ts), asked by messages. */
export class OutboxThread {
  readonly opened: Promise<OutboxReply>
  readonly #worker: Worker
  readonly #serviceTime: () => number | null
  readonly #waiting = new Map<number, Waiting>()
  readonly #failed = Promise.withResolvers<never>()
  #stats = emptyStats
  #lastId = openingId
  #gone: AppError | null = null
  #closing = false

  /** @param serviceTime epoch ms by the service's clock; null while nobody knows it */
  constructor(settings: OutboxSettings, serviceTime: () => number | null) {
    this.#serviceTime = serviceTime
    this.#worker = new Worker(new URL(workerFile, import.meta.url), { workerData: settings })
    this.#worker.on('message', (reply: OutboxReply) => this.#onReply(reply))
    this.#worker.on('error', (cause) => this.#onGone(cause))
    this.#worker.on('exit', () => this.#onGone(null))
    this.#failed.promise.catch(() => {})
    this.opened = this.#reply(openingId)
    this.opened.catch(() => {})
  }

  /** Rejects when it ended by itself. */
  get failed(): Promise<never> {
    return this.#failed.promise
  }

  /** As of the last reply. */
  get stats(): OutboxStats {
    return this.#stats
  }

  /** @throws AppError OUTBOX_GONE */
  ask(call: OutboxCall): Promise<OutboxReply> {
    this.#lastId += 1
    const reply = this.#reply(this.#lastId)
    const request: OutboxRequest = { id: this.#lastId, call, serviceAt: this.#serviceTime() }
    this.#worker.postMessage(request)
    return reply
  }

  async close(): Promise<void> {
    this.#closing = true
    if (!this.#gone) await this.ask({ kind: 'close' }).catch(() => {})
    await this.#worker.terminate()
  }

  #reply(id: number): Promise<OutboxReply> {
    if (this.#gone) return Promise.reject(this.#gone)
    const { promise, resolve, reject } = Promise.withResolvers<OutboxReply>()
    this.#waiting.set(id, { resolve, reject })
    return promise
  }

  #onReply(reply: OutboxReply): void {
    this.#stats = reply.stats
    const waiting = this.#waiting.get(reply.id)
    this.#waiting.delete(reply.id)
    waiting?.resolve(reply)
  }

  #onGone(cause: unknown): void {
    if (this.#gone) return
    this.#gone = new AppError('OUTBOX_GONE', 'The thread of the outbox ended', { fatal: true, cause })
    for (const { reject } of this.#waiting.values()) reject(this.#gone)
    this.#waiting.clear()
    if (!this.#closing) this.#failed.reject(this.#gone)
  }
}
