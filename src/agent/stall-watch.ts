const tickMs = 100
/** A shorter stall bends a measurement, but does not make a target fail that is well. */
const stallMs = 1000

/**
 * Notices when this process's event loop stood still: what an attempt then saw as slow or timed out may be our own
 * fault (semantics §3, errored).
 */
export class StallWatch {
  readonly #monotonicMs: () => number
  readonly #timer: NodeJS.Timeout
  #lastTickMs: number
  #lastStallMs = Number.NEGATIVE_INFINITY

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs
    this.#lastTickMs = monotonicMs()
    this.#timer = setInterval(() => this.#look(), tickMs).unref()
  }

  /** Whether the loop stood still for a second or more at some time since then. */
  stalledSince(monotonicMs: number): boolean {
    this.#look()
    return this.#lastStallMs >= monotonicMs
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    const now = this.#monotonicMs()
    if (now - this.#lastTickMs >= tickMs + stallMs) this.#lastStallMs = now
    this.#lastTickMs = now
  }
}
