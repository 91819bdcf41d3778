import type { Clock } from '../../lib/clock.ts'
import type { Schema } from '../../storage/schema.ts'

type CountRow = Schema['rateLimitCounts']

/** Where all servers count. */
interface CountStorage {
  /** Adds, and returns the sums of all servers. */
  readonly add: (counts: readonly CountRow[]) => Promise<readonly CountRow[]>
  readonly deleteBefore: (windowStart: number) => Promise<void>
}

export interface SharedRequestCountsOptions {
  readonly storage: CountStorage
  readonly clock: Clock
  readonly onError: (error: unknown) => void
}

interface Count {
  readonly caller: string
  readonly windowStart: number
  /** What all servers had counted when it was last asked, ours included. */
  known: number
  sending: number
  unsent: number
}

const exchangeEveryMs = 250
const retryAfterMs = 5000
const keptMs = 60 * 60_000
const mostCallers = 10_000

/**
 * Counts requests for a rate limit that several servers enforce together. A request is counted in memory and never waits
 * for the database; four times a second what was counted is added up with what the others counted. So a caller may get
 * through what the other servers take in a quarter of a second more than the limit. While the database is slow or away
 * each server enforces the whole limit by itself. Windows begin at the same instants on all servers.
 */
export class SharedRequestCounts {
  readonly #options: SharedRequestCountsOptions
  readonly #counts = new Map<string, Count>()
  #timer: NodeJS.Timeout | undefined
  #exchanging: Promise<void> | undefined
  #cleanedAt: number
  #closed = false

  constructor(options: SharedRequestCountsOptions) {
    this.#options = options
    this.#cleanedAt = options.clock.now()
  }

  /** One more request: how many there were in this window, and the milliseconds until it ends. */
  count(caller: string, windowMs: number): { current: number; ttl: number } {
    const now = this.#options.clock.now()
    const windowStart = now - (now % windowMs)
    const count = this.#countOf(caller, windowStart)
    count.unsent += 1
    this.#exchangeIn(exchangeEveryMs)
    return { current: count.known + count.sending + count.unsent, ttl: windowStart + windowMs - now }
  }

  /** Adds up with the other servers; once at a time. */
  exchange(): Promise<void> {
    this.#exchanging ??= this.#exchangeOnce().then((delayMs) => {
      this.#exchanging = undefined
      if ([...this.#counts.values()].some(({ unsent }) => unsent > 0)) this.#exchangeIn(delayMs)
    })
    return this.#exchanging
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#exchanging
  }

  #countOf(caller: string, windowStart: number): Count {
    const counted = this.#counts.get(caller)
    if (counted?.windowStart === windowStart) return counted
    const [oldest] = this.#counts.keys()
    if (!counted && this.#counts.size >= mostCallers && oldest !== undefined) this.#counts.delete(oldest)
    const count = { caller, windowStart, known: 0, sending: 0, unsent: 0 }
    this.#counts.set(caller, count)
    return count
  }

  #exchangeIn(ms: number): void {
    if (this.#timer || this.#exchanging || this.#closed) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      void this.exchange()
    }, ms)
    this.#timer.unref()
  }

  /** Returns when to exchange what is counted meanwhile. */
  async #exchangeOnce(): Promise<number> {
    const sent = [...this.#counts.values()].filter(({ unsent }) => unsent > 0)
    for (const count of sent) [count.sending, count.unsent] = [count.unsent, 0]
    try {
      await this.#send(sent)
      return exchangeEveryMs
    } catch (error) {
      for (const count of sent) count.unsent += count.sending
      this.#options.onError(error)
      return retryAfterMs
    } finally {
      for (const count of sent) count.sending = 0
    }
  }

  async #send(sent: readonly Count[]): Promise<void> {
    const { storage, clock } = this.#options
    const rows = sent.map(({ windowStart, caller, sending }) => ({ windowStart, caller, requests: sending }))
    const sums = new Map(
      (await storage.add(rows)).map((row) => [`${row.windowStart} ${row.caller}`, row.requests]),
    )
    for (const count of sent) count.known = sums.get(`${count.windowStart} ${count.caller}`) ?? count.known
    const now = clock.now()
    if (now - this.#cleanedAt < keptMs) return
    this.#cleanedAt = now
    await storage.deleteBefore(now - keptMs)
  }
}
