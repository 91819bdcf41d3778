import TinyQueue from 'tinyqueue'

/** Calls back once after `ms`; the returned function takes it back. */
export type SetTimer = (callback: () => void, ms: number) => () => void

const systemTimer: SetTimer = (callback, ms) => {
  const timer = setTimeout(callback, ms)
  return () => clearTimeout(timer)
}

interface Entry {
  readonly atMs: number
  readonly fire: () => void
  cancelled: boolean
}

/** setTimeout keeps no longer waits: the next one follows. */
const longestWaitMs = 60_000

/** Any number of instants to wait for, with one heap and one timer. Times are monotonic milliseconds. */
export class DueTimers {
  readonly #monotonicMs: () => number
  readonly #setTimer: SetTimer
  readonly #heap = new TinyQueue<Entry>([], (a, b) => a.atMs - b.atMs)
  #armed: { readonly atMs: number; readonly disarm: () => void } | null = null

  constructor(monotonicMs: () => number, setTimer: SetTimer = systemTimer) {
    this.#monotonicMs = monotonicMs
    this.#setTimer = setTimer
  }

  /** Fires at `atMs`, never before it; at the next turn when that has passed. Returns what takes it back. */
  add(atMs: number, fire: () => void): () => void {
    const entry: Entry = { atMs, fire, cancelled: false }
    this.#heap.push(entry)
    if (!this.#armed || atMs < this.#armed.atMs) this.#arm()
    return () => {
      entry.cancelled = true
    }
  }

  /** Resolves at `atMs`, or rejects with the signal's reason. */
  async wait(atMs: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = this.add(atMs, resolve)
    const onAbort = () => resolve()
    signal.addEventListener('abort', onAbort, { once: true })
    await promise
    signal.removeEventListener('abort', onAbort)
    cancel()
    signal.throwIfAborted()
  }

  close(): void {
    this.#armed?.disarm()
    this.#armed = null
    while (this.#heap.pop());
  }

  #arm(): void {
    this.#armed?.disarm()
    this.#armed = null
    const next = this.#heap.peek()
    if (!next) return
    const waitMs = Math.min(longestWaitMs, Math.max(0, Math.ceil(next.atMs - this.#monotonicMs())))
    this.#armed = { atMs: next.atMs, disarm: this.#setTimer(() => this.#fireDue(), waitMs) }
  }

  #fireDue(): void {
    this.#armed = null
    const now = this.#monotonicMs()
    for (
      let next = this.#heap.peek();
      next && (next.cancelled || next.atMs <= now);
      next = this.#heap.peek()
    ) {
      this.#heap.pop()
      if (!next.cancelled) next.fire()
    }
    this.#arm()
  }
}
