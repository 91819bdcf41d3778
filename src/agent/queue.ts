import PQueue from 'p-queue'

/** The slots in which attempts are made: as many at a time as JOB_CONCURRENCY says, first come, first served. */
export class RunQueue {
  readonly #queue: PQueue

  constructor(concurrency: number) {
    this.#queue = new PQueue({ concurrency })
  }

  get concurrency(): number {
    return this.#queue.concurrency
  }

  /** Attempts that wait for a slot. */
  get waiting(): number {
    return this.#queue.size
  }

  /** Attempts that are being made. */
  get running(): number {
    return this.#queue.pending
  }

  /** Rejects with the signal's reason, which also gives the slot free. */
  run<T>(attempt: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.#queue.add(attempt, { signal })
  }
}
