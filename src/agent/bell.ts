/** Wakes the one that waits; a ring that nobody waited for is kept for the next wait. */
export class Bell {
  #rung = false
  #wake: (() => void) | null = null

  ring(): void {
    this.#rung = true
    this.#wake?.()
  }

  /** Resolves at a ring or when the signal ends the wait; never rejects. */
  async wait(signal: AbortSignal): Promise<void> {
    if (!this.#rung && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#wake = resolve
      signal.addEventListener('abort', this.#wake, { once: true })
      await promise
      signal.removeEventListener('abort', this.#wake)
      this.#wake = null
    }
    this.#rung = false
  }
}
