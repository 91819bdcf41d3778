import { sleep } from '../lib/sleep.ts'

/** Lets many wait until something happens or their time is up, whichever is first. */
export class WakeUp {
  #next = new AbortController()

  /** Wakes everyone who waits now. */
  signal(): void {
    const waiting = this.#next
    this.#next = new AbortController()
    waiting.abort()
  }

  /** Aborts with the next signal: taken before a look at what there is, it misses nothing that comes during the look. */
  get next(): AbortSignal {
    return this.#next.signal
  }

  wait(ms: number, signal: AbortSignal): Promise<void> {
    return sleep(ms, AbortSignal.any([this.#next.signal, signal]))
  }
}
