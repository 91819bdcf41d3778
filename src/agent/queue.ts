import PQueue from 'p-queue'

/** After this long an attempt only waits for its target: that takes neither CPU nor a slot. */
const slowAfterMs = 250
/** For each slot: how many slow attempts may be under way besides. They still take sockets and memory. */
const slowForEachSlot = 4

/**
 * The slots in which attempts are made: as many at a time as JOB_CONCURRENCY says, first come, first served. One that
 * waits for a slow target gives its slot away, so that targets that are down keep no other check from its time.
 */
export class RunQueue {
  readonly #queue: PQueue
  readonly #maxSlow: number
  readonly #onSlow: () => void
  #slow = 0
  /** Attempts that were told to stop while they waited: their turn passes over them. */
  #left = 0

  /** @param onSlow told when an attempt gave its slot away */
  constructor(concurrency: number, onSlow: () => void = () => {}) {
    this.#queue = new PQueue({ concurrency })
    this.#maxSlow = concurrency * slowForEachSlot
    this.#onSlow = onSlow
  }

  get concurrency(): number {
    return this.#queue.concurrency
  }

  /** Attempts that wait for a slot. */
  get waiting(): number {
    return this.#queue.size - this.#left
  }

  /** Attempts that are being made, slow ones among them. */
  get running(): number {
    return this.#queue.pending + this.#slow
  }

  /** Attempts that are being made and take no slot. */
  get slow(): number {
    return this.#slow
  }

  /** Rejects with the signal's reason when that comes before the attempt begins; from then on the attempt heeds it. */
  run<T>(attempt: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    if (signal.aborted) {
      reject(signal.reason)
      return promise
    }
    const leave = () => {
      this.#left += 1
      reject(signal.reason)
    }
    const take = async () => {
      if (signal.aborted) {
        this.#left -= 1
        return
      }
      signal.removeEventListener('abort', leave)
      const attempting = attempt()
      resolve(attempting)
      await this.#untilSlowOrDone(attempting)
    }
    signal.addEventListener('abort', leave)
    this.#queue.add(take).catch(reject)
    return promise
  }

  #untilSlowOrDone(attempting: Promise<unknown>): Promise<void> {
    return new Promise((giveSlot) => {
      let slow = false
      const look = setInterval(() => {
        if (this.#slow >= this.#maxSlow) return
        clearInterval(look)
        slow = true
        this.#slow += 1
        giveSlot()
        this.#onSlow()
      }, slowAfterMs)
      const done = () => {
        clearInterval(look)
        if (slow) this.#slow -= 1
        giveSlot()
      }
      attempting.then(done, done)
    })
  }
}
