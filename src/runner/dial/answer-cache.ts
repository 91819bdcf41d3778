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
    return entry && entry.untilMs > this.#clock.monotonicMs() ? entry.addresses : null
  }

  set(key: string, addresses: readonly string[], ttlMs: number): void {
    this.#entries.delete(key)
    this.#entries.set(key, { addresses, untilMs: this.#clock.monotonicMs() + Math.min(ttlMs, maxTtlMs) })
    if (this.#entries.size > maxEntries) this.#forgetOldest()
  }

  #forgetOldest(): void {
    const oldest = this.#entries.keys().next()
    if (!oldest.done) this.#entries.delete(oldest.value)
  }
}
