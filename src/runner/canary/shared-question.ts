import { sleep } from '../../lib/sleep.ts'

export interface SharedQuestionOptions<A> {
  /** Asks the network. Ends soon when the signal says so, which it always does in the end. */
  readonly ask: (signal: AbortSignal) => Promise<A>
  readonly limitMs: number
  readonly monotonicMs: () => number
}

/** Many may fail at the same time: the network is not asked for each of them. */
const betweenMs = 1000

/**
 * One question for all who ask it: one under way at a time, and one begun a second. Whoever asks gets an answer that
 * comes after that, never one that was given before.
 */
export class SharedQuestion<A> {
  readonly #options: SharedQuestionOptions<A>
  #answer: Promise<A | null> | null = null
  #ending = new AbortController()
  #begunMs = Number.NEGATIVE_INFINITY
  #closed = false

  constructor(options: SharedQuestionOptions<A>) {
    this.#options = options
  }

  /** Null after `close()`: nothing was asked. Rejects only as the question does. */
  ask(): Promise<A | null> {
    this.#answer ??= this.#inTurn().finally(() => {
      this.#answer = null
    })
    return this.#answer
  }

  close(): void {
    this.#closed = true
    this.#ending.abort()
  }

  async #inTurn(): Promise<A | null> {
    const ending = new AbortController()
    this.#ending = ending
    const tooSoonMs = this.#begunMs + betweenMs - this.#options.monotonicMs()
    if (tooSoonMs > 0 && !this.#closed) await sleep(tooSoonMs, ending.signal)
    const answer = this.#closed ? null : await this.#begin(ending)
    return this.#closed ? null : answer
  }

  async #begin(ending: AbortController): Promise<A> {
    const { ask, limitMs, monotonicMs } = this.#options
    this.#begunMs = monotonicMs()
    const limit = setTimeout(() => ending.abort(), limitMs)
    try {
      return await ask(ending.signal)
    } finally {
      clearTimeout(limit)
      ending.abort()
    }
  }
}
