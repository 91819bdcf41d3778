import type { Clock } from '../../lib/clock.ts'

const minuteMs = 60_000
/** Nobody reads more of one job in a minute; and each may be 10,000 bytes that are kept for weeks. */
const mostOwnEvents = 60
const mostTokens = 10_000

interface Minute {
  readonly sinceMs: number
  pings: number
}

/** Tells which pings come in such a crowd that they are counted, and what they say is not kept. */
export class PingCrowds {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #minutes = new Map<string, Minute>()

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
  }

  /** One more ping of this token: whether so many came in this minute that it is one of a crowd. */
  joins(token: string): boolean {
    const nowMs = this.#clock.monotonicMs()
    const known = this.#minutes.get(token)
    const minute = known && nowMs - known.sinceMs < minuteMs ? known : { sinceMs: nowMs, pings: 0 }
    minute.pings += 1
    this.#minutes.delete(token)
    this.#minutes.set(token, minute)
    for (const oldest of this.#minutes.keys()) {
      if (this.#minutes.size <= mostTokens) break
      this.#minutes.delete(oldest)
    }
    return minute.pings > mostOwnEvents
  }
}
