import type { Clock } from '../../lib/clock.ts'

/** Instants of one moment, in epoch milliseconds; `serviceAt` is null where the service's clock was not known. */
export interface AgeMark {
  /** On the clock of ages. */
  readonly at: number
  readonly wallAt: number
  readonly serviceAt: number | null
}

/**
 * The clock by which records grow old. It runs with the monotonic clock while a process holds the outbox, and counts
 * the time between two processes only as far as both the machine's wall clock and the service's clock say that it
 * passed: a clock that was set, by minutes or by years, makes no record older.
 */
export class AgeClock {
  readonly #local: Clock
  readonly #before: AgeMark | null
  #offsetMs: number
  #resumed: boolean
  /** What the service's clock showed last, and when; null while nobody knows. */
  #seen: { readonly serviceAt: number; readonly at: number } | null

  /** @param before as the last process left it; null when there was none */
  constructor(local: Clock, before: AgeMark | null) {
    this.#local = local
    this.#before = before
    this.#resumed = before === null
    this.#seen = before && before.serviceAt !== null ? { serviceAt: before.serviceAt, at: before.at } : null
    this.#offsetMs = (before?.at ?? local.now()) - local.monotonicMs()
  }

  now(): number {
    return Math.floor(this.#local.monotonicMs() + this.#offsetMs)
  }

  /**
   * Takes note of the service's time: what passed before this process began is counted the first time. Returns by how
   * many milliseconds the clock was set forward.
   */
  meet(serviceAt: number): number {
    const aheadMs = this.#resumed ? 0 : this.#uncountedMs(serviceAt)
    this.#resumed = true
    this.#offsetMs += aheadMs
    this.#seen = { serviceAt, at: this.now() }
    return aheadMs
  }

  /**
   * The service's clock is taken to go on from where it was last seen. Where that was before this process, and records came
   * in it (`hasRecords`), nobody knows how much time had passed when they came: to count it later would make them older.
   */
  mark(hasRecords: boolean): AgeMark {
    const at = this.now()
    const seen = this.#resumed || !hasRecords ? this.#seen : null
    const serviceAt = seen && seen.serviceAt + (at - seen.at)
    return { at, wallAt: this.#local.now(), serviceAt }
  }

  #uncountedMs(serviceAt: number): number {
    if (!this.#before || this.#before.serviceAt === null) return 0
    const passedMs = Math.min(serviceAt - this.#before.serviceAt, this.#local.now() - this.#before.wallAt)
    return Math.max(0, passedMs - (this.now() - this.#before.at))
  }
}
