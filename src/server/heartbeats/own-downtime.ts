import type { Kysely } from 'kysely'
import type { Downtime } from '../../rules/heartbeat-deadline.ts'
import type { Schema } from '../../storage/schema.ts'
import { addDowntime, findBeat, lockBeat, saveBeat } from '../../storage/service-downtimes.ts'

/** A server that says nothing for so long could not take pings, or not in time: a stall, a database that was away. */
const longestSilenceMs = 3000
/** So long a server that starts listens for others: one that is alive says so every second. */
const listenMs = 2500

/** As OwnDowntime's `unrecorded`, from what storage has alone: what may be a downtime that is not in it yet. */
export async function silenceUntil(db: Kysely<Schema>, now: number): Promise<Downtime | null> {
  const lastAt = await findBeat(db)
  return lastAt !== null && now - lastAt > longestSilenceMs ? { from: lastAt, to: now } : null
}

/**
 * Keeps when we were down, so that no heartbeat fails for it (rules/heartbeat-deadline). Every server says each second that
 * it is alive; a gap between two such words is a downtime of all. A server that starts cannot tell at first whether
 * others are alive: until it can, no deadline is looked at.
 */
export class OwnDowntime {
  #lastAlive: number | null
  readonly #foundAt: number | null
  #listeningSince: number | null = null
  #settled: boolean

  /** `foundAt`: when any server was last alive, as storage had it when this one began. */
  constructor(foundAt: number | null) {
    this.#foundAt = foundAt
    this.#lastAlive = foundAt
    this.#settled = foundAt === null
  }

  static async read(db: Kysely<Schema>): Promise<OwnDowntime> {
    return new OwnDowntime(await findBeat(db))
  }

  /** What may be a downtime that is not in storage yet. */
  unrecorded(now: number): Downtime | null {
    if (this.#lastAlive === null || this.#lastAlive >= now) return null
    const silent = now - this.#lastAlive > longestSilenceMs
    return silent || !this.#settled ? { from: this.#lastAlive, to: now } : null
  }

  /** Says in the caller's transaction that we are alive; false while nothing is known of the time before. */
  async beat(db: Kysely<Schema>, now: number): Promise<boolean> {
    const lastAt = await lockBeat(db)
    this.#listeningSince ??= now
    if (this.#settled) {
      if (lastAt !== null && now - lastAt > longestSilenceMs) await addDowntime(db, lastAt, now)
    } else if (lastAt === null || lastAt === this.#foundAt) {
      // Every time of ours is behind it: nobody else was alive.
      if (now - this.#listeningSince < listenMs) return false
      if (lastAt !== null && lastAt < this.#listeningSince)
        await addDowntime(db, lastAt, this.#listeningSince)
    }
    await saveBeat(db, now)
    return true
  }

  /** The transaction of a `beat` that was true has ended well. */
  heard(now: number): void {
    this.#settled = true
    this.#lastAlive = now
  }
}
