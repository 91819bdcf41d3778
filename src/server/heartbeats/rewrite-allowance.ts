import type { HeartbeatEventRow } from '../../storage/heartbeat-events.ts'
import { ApiError } from '../http/api-error.ts'

/** Half a second of work for the database, which others wait for meanwhile. */
const mostEvents = 20_000
/** Of what jobs said of themselves: all of it is in memory at once. One heartbeat alone never has more. */
const mostCharacters = 64_000_000

/**
 * How much of what is stored one transaction may tell again for pings that came to us late. Whoever sent those of many
 * heartbeats and sends again what we do not take is told to send fewer at once.
 */
export class RewriteAllowance {
  readonly #canSendFewer: boolean
  #events = mostEvents
  #characters = mostCharacters

  constructor(canSendFewer: boolean) {
    this.#canSendFewer = canSendFewer
  }

  /** Events that may still be read. */
  get events(): number {
    return this.#events
  }

  /** False where these are too many. @throws ApiError 413 where fewer pings can be sent */
  use(events: readonly HeartbeatEventRow[]): boolean {
    this.#events -= events.length
    for (const { body } of events) this.#characters -= body?.length ?? 0
    if (this.#events >= 0 && this.#characters >= 0) return true
    if (this.#canSendFewer)
      throw new ApiError('BODY_TOO_LARGE', 'these pings change too much at once: send fewer')
    this.#events = 0
    return false
  }
}
