import type { Logger } from '../../lib/logger.ts'
import { mostPingsAMinute } from '../../rules/ping-request.ts'

export interface PingTokensOptions {
  readonly logger: Logger
  readonly monotonicMs: () => number
}

interface Window {
  readonly sinceMs: number
  pings: number
}

const minuteMs = 60_000
/** A heartbeat may come back, of a backup. */
const unknownForMs = 10 * minuteMs
/** The service says of tokens whether they are of a heartbeat: here whoever asks may make up as many as he likes. */
const mostTokens = 10_000
const mostUnknown = 1000
const shownCharacters = 8

/** What is known here of the tokens that are pinged: how often each was, and of which the service has no heartbeat. */
export class PingTokens {
  readonly #options: PingTokensOptions
  readonly #windows = new Map<string, Window>()
  /** Until when, on the monotonic clock. */
  readonly #unknown = new Map<string, number>()

  constructor(options: PingTokensOptions) {
    this.#options = options
  }

  /** Milliseconds until this token may be pinged again; 0 where it may be now, which is counted. */
  count(token: string): number {
    const nowMs = this.#options.monotonicMs()
    const known = this.#windows.get(token)
    const window = known && nowMs - known.sinceMs < minuteMs ? known : { sinceMs: nowMs, pings: 0 }
    if (window.pings >= mostPingsAMinute) return window.sinceMs + minuteMs - nowMs
    window.pings += 1
    this.#windows.delete(token)
    this.#windows.set(token, window)
    forgetOldest(this.#windows, mostTokens)
    return 0
  }

  isUnknown(token: string): boolean {
    return (this.#unknown.get(token) ?? 0) > this.#options.monotonicMs()
  }

  /** The service has no heartbeat of this token: said once, by the beginning of the token. */
  setUnknown(token: string): void {
    const { logger, monotonicMs } = this.#options
    const isNews = !this.#unknown.has(token) && this.#unknown.size < mostUnknown
    if (isNews) {
      const details = { token: `${token.slice(0, shownCharacters)}…` }
      logger.warn(
        details,
        'the service has no heartbeat of a token that is pinged here: its pings are dropped',
      )
    }
    this.#unknown.delete(token)
    this.#unknown.set(token, monotonicMs() + unknownForMs)
    forgetOldest(this.#unknown, mostUnknown)
  }
}

function forgetOldest(map: Map<string, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return
    map.delete(key)
  }
}
