/** What can be ended before its time. */
export interface Cuttable {
  cut(): void
}

/** What ends an attempt before its time: its own cap, or the caller, who wants no outcome any more. */
export class Cutoff {
  readonly #signal: AbortSignal
  readonly #timer: NodeJS.Timeout
  readonly #stopped = () => this.#cut('stopped')
  #cause: 'cap' | 'stopped' | null = null
  #going: Cuttable | null = null

  constructor(capMs: number, signal: AbortSignal) {
    this.#signal = signal
    this.#timer = setTimeout(() => this.#cut('cap'), capMs)
    signal.addEventListener('abort', this.#stopped)
  }

  get cause(): 'cap' | 'stopped' | null {
    return this.#cause
  }

  /** From then on it is `going` that is cut; null where there is nothing to end. */
  during(going: Cuttable | null): void {
    this.#going = going
  }

  clear(): void {
    clearTimeout(this.#timer)
    this.#signal.removeEventListener('abort', this.#stopped)
    this.#going = null
  }

  #cut(cause: 'cap' | 'stopped'): void {
    this.#cause ??= cause
    this.#going?.cut()
  }
}
