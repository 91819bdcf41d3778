import type { Logger } from '../../lib/logger.ts'
import { mostPingsAMinute } from '../../rules/ping-request.ts'

export interface PingTokensOptions {
  readonly logger: Logger
  readonly monotonicMs: () => number
}

interface Window {
  readonly sinceMs: number
  count: number
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** A heartbeat may come back, of a backup. */
const unknownForMs = 10 * minuteMs
/** The service says of tokens whether they are of a heartbeat: here whoever asks may make up as many as he likes. */
const mostTokens = 10_000
const mostUnknown = 1000
const mostSaidAnHour = 60
const shownCharacters = 8

/**
 * What is known here of the tokens that are pinged: how often each was, which the service took pings of, and of which it
 * has no heartbeat. Those that it has said nothing of have what one token has, together: made-up ones neither fill the
 * disk nor keep the pings of others waiting.
 */
export class PingTokens {
  readonly #options: PingTokensOptions
  readonly #windows = new Map<string, Window>()
  #strangers: Window
  #said: Window
  readonly #known = new Map<string, true>()
  /** Until when, on the monotonic clock. */
  readonly #unknown = new Map<string, number>()

  constructor(options: PingTokensOptions) {
    this.#options = options
    const sinceMs = options.monotonicMs()
    this.#strangers = { sinceMs, count: 0 }
    this.#said = { sinceMs, count: 0 }
  }

  /** Milliseconds until this token may be pinged again; 0 where it may be now, which is counted. */
  count(token: string): number {
    const nowMs = this.#options.monotonicMs()
    const window = current(this.#windows.get(token), nowMs, minuteMs)
    if (window.count >= mostPingsAMinute) return window.sinceMs + minuteMs - nowMs
    const waitMs = this.#known.has(token) ? 0 : this.#countStranger(nowMs)
    if (waitMs > 0) return waitMs
    window.count += 1
    renew(this.#windows, token, window, mostTokens)
    return 0
  }

  #countStranger(nowMs: number): number {
    this.#strangers = current(this.#strangers, nowMs, minuteMs)
    if (this.#strangers.count >= mostPingsAMinute) return this.#strangers.sinceMs + minuteMs - nowMs
    this.#strangers.count += 1
    return 0
  }

  /** The service took a ping of this token. */
  setKnown(token: string): void {
    this.#unknown.delete(token)
    renew(this.#known, token, true, mostTokens)
  }

  isUnknown(token: string): boolean {
    return (this.#unknown.get(token) ?? 0) > this.#options.monotonicMs()
  }

  /** The service has no heartbeat of this token: said by the beginning of the token, once, and not of too many. */
  setUnknown(token: string): void {
    const { logger, monotonicMs } = this.#options
    const nowMs = monotonicMs()
    this.#said = current(this.#said, nowMs, hourMs)
    if (!this.#unknown.has(token) && this.#said.count < mostSaidAnHour) {
      this.#said.count += 1
      const details = { token: `${token.slice(0, shownCharacters)}…` }
      logger.warn(
        details,
        'the service has no heartbeat of a token that is pinged here: its pings are dropped',
      )
    }
    this.#known.delete(token)
    renew(this.#unknown, token, nowMs + unknownForMs, mostUnknown)
  }
}

const current = (window: Window | undefined, nowMs: number, lengthMs: number): Window =>
  window && nowMs - window.sinceMs < lengthMs ? window : { sinceMs: nowMs, count: 0 }

/** As the newest; the oldest give way. */
function renew<T>(map: Map<string, T>, key: string, value: T, most: number): void {
  map.delete(key)
  map.set(key, value)
  for (const oldest of map.keys()) {
    if (map.size <= most) return
    map.delete(oldest)
  }
}
