import type { Clock } from '../lib/clock.ts'

/** Answers are stamped shortly before they arrive: the greatest offset of the newest few is nearest to the truth. */
const keptSamples = 8

/**
 * The service's time: what dueAt, startedAt and stoppedAt mean. Runs on our monotonic clock, so that a jump of this
 * machine's wall clock moves nothing; until the first answer it follows the wall clock.
 */
export class ServiceClock implements Clock {
  readonly #local: Clock
  readonly #offsets: number[] = []
  #offsetMs: number

  constructor(local: Clock) {
    this.#local = local
    this.#offsetMs = local.now() - local.monotonicMs()
  }

  /** Takes note of an answer that just came. @param serverTime epoch ms */
  observe(serverTime: number): void {
    this.#offsets.push(serverTime - this.#local.monotonicMs())
    if (this.#offsets.length > keptSamples) this.#offsets.shift()
    this.#offsetMs = Math.max(...this.#offsets)
  }

  now(): number {
    return Math.floor(this.preciseNow())
  }

  /** As `now`, but null until the service has answered. */
  serviceTime(): number | null {
    return this.#offsets.length === 0 ? null : this.now()
  }

  /** Epoch milliseconds with fractions. */
  preciseNow(): number {
    return this.monotonicMs() + this.#offsetMs
  }

  monotonicMs(): number {
    return this.#local.monotonicMs()
  }

  /** The monotonic milliseconds of an instant in service time. */
  toMonotonicMs(epochMs: number): number {
    return epochMs - this.#offsetMs
  }
}
