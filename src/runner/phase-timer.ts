import type { Phase, Timings } from '../contract/timings.ts'
import type { Clock } from '../lib/clock.ts'

/**
 * Where the time of one attempt goes. Each phase begins where the one before it ends, so that the phases add up to
 * the total exactly; over redirects a phase is entered again and its time added (semantics §3).
 */
export class PhaseTimer {
  readonly #clock: Clock
  readonly #startedAt: number
  readonly #spentUs: Record<Phase, number | null> = {
    dns: null,
    connect: null,
    tls: null,
    send: null,
    firstByte: null,
    download: null,
  }
  #phase: Phase | null = null
  #originMs = 0
  #countedUs = 0

  constructor(clock: Clock) {
    this.#clock = clock
    this.#startedAt = clock.now()
  }

  /** The phase that the time now goes to; null before the first. */
  get phase(): Phase | null {
    return this.#phase
  }

  enter(phase: Phase): void {
    if (this.#phase === null) this.#originMs = this.#clock.monotonicMs()
    else this.count()
    this.#phase = phase
    this.#spentUs[phase] ??= 0
  }

  /** Counts the time up to now. What passes later counts only if another phase is entered. */
  count(): void {
    if (this.#phase === null) return
    // Whole microseconds since the origin, not since the last mark: rounding errors never add up.
    const nowUs = Math.round((this.#clock.monotonicMs() - this.#originMs) * 1000)
    this.#spentUs[this.#phase] = (this.#spentUs[this.#phase] ?? 0) + nowUs - this.#countedUs
    this.#countedUs = nowUs
  }

  timings(): Timings {
    return { startedAt: this.#startedAt, totalUs: this.#countedUs, phasesUs: { ...this.#spentUs } }
  }
}
