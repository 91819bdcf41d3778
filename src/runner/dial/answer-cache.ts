import type { Clock } from '../../lib/clock.ts'

interface Entry {
  readonly addresses: readonly string[]
  readonly untilMs: number
}

const maxTtlMs = 30_000
const maxEntries = 10_000

/**
 * Addresses for as long as their answer lives, and for 30 s at most: a name that moves is followed within a check's
 * interval. That a name failed is never remembered, since a user who mends it looks at the next run.
 */
export class AnswerCache {
  readonly #clock: Clock
  readonly #entries = new Map<string, Entry>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get(key: string): readonly string[] | null {
    const entry = this.#entries.get(key)
    if (entry && entry.untilMs > this.#clock.monotonicMs()) return entry.addresses
    this.#entries.delete(key)
    return null
  }

  set(key: string, addresses: readonly string[], ttlMs: number): void {
    this.#entries.delete(key)
    this.#entries.set(key, { addresses, untilMs: this.#clock.monotonicMs() + Math.min(ttlMs, maxTtlMs) })
    this.#forgetOldest()
  }

  /** None lives longer than the greatest TTL, so that what is over is first, or soon will be. */
  #forgetOldest(): void {
    const nowMs = this.#clock.monotonicMs()
    for (const [key, { untilMs }] of this.#entries) {
      if (untilMs > nowMs && this.#entries.size <= maxEntries) return
      this.#entries.delete(key)
    }
  }
}
