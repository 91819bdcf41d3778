/** What ends an attempt before its time: its own cap, or the caller, who wants no outcome any more. */
export class Cutoff {
  readonly #signal: AbortSignal
  readonly #timer: NodeJS.Timeout
  readonly #stopped = () => this.#cut('stopped')
  #cause: 'cap' | 'stopped' | null = null
  #end: (() => void) | null = null

  constructor(capMs: number, signal: AbortSignal) {
    this.#signal = signal
    this.#timer = setTimeout(() => this.#cut('cap'), capMs)
    signal.addEventListener('abort', this.#stopped)
  }

  get cause(): 'cap' | 'stopped' | null {
    return this.#cause
  }

  /** From now on `end` is what a cut calls; null where there is nothing to end. */
  during(end: (() => void) | null): void {
    this.#end = end
  }

  clear(): void {
    clearTimeout(this.#timer)
    this.#signal.removeEventListener('abort', this.#stopped)
    this.#end = null
  }

  #cut(cause: 'cap' | 'stopped'): void {
    this.#cause ??= cause
    this.#end?.()
  }
}
