import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../../lib/clock.ts'
import type { Database } from '../../storage/database.ts'
import { ApiError } from '../http/api-error.ts'
import type { Ping } from './end-pings.ts'
import type { OwnDowntime } from './own-downtime.ts'
import { takePings } from './take-pings.ts'

export interface PingGathererOptions {
  readonly database: Database
  readonly clock: Clock
  readonly downtime: OwnDowntime
}

interface Waiting {
  readonly ping: Ping
  readonly resolve: (known: boolean) => void
  readonly reject: (error: unknown) => void
}

/**
 * Others join a ping that waits for so long, or for as long as the commit before took: one commit, and one wait for the
 * disk, is for all of them, and a slow disk has fewer to do.
 */
const leastGatherMs = 4
const mostGatherMs = 50
const mostAtOnce = 500
/** What a database that is away may leave waiting here. */
const mostWaiting = 20_000

/** Stores pings, those that come within a few milliseconds in one transaction. */
export class PingGatherer {
  readonly #options: PingGathererOptions
  #waiting: Waiting[] = []
  #storing = false
  #gatherMs = leastGatherMs

  constructor(options: PingGathererOptions) {
    this.#options = options
  }

  /** Resolves when the ping is stored for good; false when its token is of no heartbeat. @throws ApiError 503 */
  take(ping: Ping): Promise<boolean> {
    if (this.#waiting.length >= mostWaiting)
      throw new ApiError('UNAVAILABLE', 'too many pings wait to be stored, try again')
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ping, resolve, reject })
      if (this.#storing) return
      this.#storing = true
      void this.#storeAll()
    })
  }

  async #storeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await wait(this.#gatherMs)
      const begunMs = this.#options.clock.monotonicMs()
      const batch = this.#waiting.splice(0, mostAtOnce)
      try {
        const known = await this.#store(batch.map(({ ping }) => ping))
        for (const { ping, resolve } of batch) resolve(known.has(ping.token))
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
      const tookMs = this.#options.clock.monotonicMs() - begunMs
      this.#gatherMs = Math.max(leastGatherMs, Math.min(mostGatherMs, tookMs))
    }
    this.#storing = false
  }

  #store(pings: readonly Ping[]): Promise<ReadonlySet<string>> {
    const { database, clock, downtime } = this.#options
    return database.transaction((db) => {
      const now = clock.now()
      return takePings(db, pings, { now, unrecorded: downtime.unrecorded(now), mayRepeat: false })
    })
  }
}
