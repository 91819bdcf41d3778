const barredMs = 5 * 60_000
const inARow = 2
const maxRemembered = 10_000

interface Remembered {
  readonly times: number
  readonly barredUntilMs: number
}

/**
 * What ran out of time twice in a row is barred for five minutes, and again whenever its next try runs out, so that
 * no check can hold up the judging of the others for ever. Of those remembered, the one that waited longest is
 * forgotten first.
 */
export class TimeOuts {
  readonly #monotonicMs: () => number
  readonly #remembered = new Map<string, Remembered>()

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs
  }

  isBarred(key: string): boolean {
    const { barredUntilMs = 0 } = this.#remembered.get(key) ?? {}
    return this.#monotonicMs() < barredUntilMs
  }

  ranOut(key: string): void {
    const times = (this.#remembered.get(key)?.times ?? 0) + 1
    const barredUntilMs = times >= inARow ? this.#monotonicMs() + barredMs : 0
    this.#remembered.delete(key)
    this.#remembered.set(key, { times, barredUntilMs })
    const [oldest] = this.#remembered.keys()
    if (oldest !== undefined && this.#remembered.size > maxRemembered) this.#remembered.delete(oldest)
  }

  wasInTime(key: string): void {
    this.#remembered.delete(key)
  }
}
