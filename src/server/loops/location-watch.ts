import type { Kysely } from 'kysely'
import { dataCenterLocations } from '../../contract/locations.ts'
import type { Logger } from '../../lib/logger.ts'
import { listAgents } from '../../storage/agents.ts'
import type { Schema } from '../../storage/schema.ts'

/** A location without an agent for this long is unavailable: nothing is queued there (semantics §5). */
export const unavailableAfterMs = 10 * 60_000

const dataCenters = new Set<string>(dataCenterLocations)
export const isDataCenter = (location: string): boolean => dataCenters.has(location)

/** Knows which locations an agent serves. It is said once when one becomes unavailable, and once when it returns. */
export class LocationWatch {
  readonly #db: Kysely<Schema>
  readonly #logger: Logger
  readonly #startedAt: number
  readonly #unavailable = new Set<string>()
  #served = new Set<string>()
  #embeddedServes = false
  #now: number

  constructor(options: { readonly db: Kysely<Schema>; readonly logger: Logger; readonly startedAt: number }) {
    this.#db = options.db
    this.#logger = options.logger
    this.#startedAt = options.startedAt
    this.#now = options.startedAt
  }

  async refresh(now: number): Promise<void> {
    const agents = await listAgents(this.#db, {
      accountId: 'any',
      locations: 'any',
      seenSince: now - unavailableAfterMs,
    })
    this.#now = now
    this.#embeddedServes = agents.some((agent) => agent.embedded === 1)
    this.#served = new Set(agents.map((agent) => placeKey(agent.accountId, agent.location)))
  }

  /** Agents have ten minutes from the service's own start to come back, so that its own absence is not held against them. */
  isServed(accountId: string, location: string): boolean {
    const key = placeKey(isDataCenter(location) ? null : accountId, location)
    const served =
      this.#served.has(key) ||
      (this.#embeddedServes && isDataCenter(location)) ||
      this.#now - this.#startedAt < unavailableAfterMs
    this.#say(key, location, served)
    return served
  }

  #say(key: string, location: string, served: boolean): void {
    if (served && this.#unavailable.delete(key)) {
      this.#logger.info({ location }, 'an agent serves this location again: its checks run')
    }
    if (!served && !this.#unavailable.has(key)) {
      this.#unavailable.add(key)
      this.#logger.warn(
        { location },
        'no agent served this location for 10 minutes: its checks do not run until one does. Start an agent with a key of this location',
      )
    }
  }
}

const placeKey = (accountId: string | null, location: string) => `${accountId ?? ''}/${location}`
