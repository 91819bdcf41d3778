import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Database } from '../../storage/database.ts'
import {
  deleteOverdueChecks,
  findSilentChecks,
  insertOverdueChecks,
  listOverdueIds,
  type SilenceRule,
  silentAmong,
} from '../../storage/overdue-checks.ts'

interface OverdueOptions {
  readonly database: Database
  readonly clock: Clock
  readonly logger: Logger
}

/** A check without a result for so many intervals is itself an alarm (design: Promises, 7). */
const intervals = 3
/** What a run takes at the most, and its result until it is here. */
const slackMs = 60_000
const tickMs = 15_000
const checksAtOnce = 200
const shown = 10

/**
 * Notices checks that should have results and have none: the queue, the agents or the planner may be stuck, and nothing
 * else would say so. Told of once each, many in one line; check-statuses shows them while it lasts.
 */
export class OverdueWatch {
  readonly #options: OverdueOptions
  #listeningSince: number
  #turnedAt: number

  constructor(options: OverdueOptions) {
    this.#options = options
    this.#listeningSince = options.clock.now()
    this.#turnedAt = this.#listeningSince
  }

  /** Returns the milliseconds until the next turn. */
  async turn(): Promise<number> {
    const now = this.#options.clock.now()
    // This process was stopped, or its database away: it has not heard what there was to hear.
    if (now - this.#turnedAt > 4 * tickMs) this.#listeningSince = now
    const rule = { now, listeningSince: this.#listeningSince, intervals, slackMs }
    await this.#notice(rule)
    await this.#relent(rule)
    this.#turnedAt = now
    return tickMs
  }

  async #notice(rule: SilenceRule): Promise<void> {
    const db = this.#options.database.kysely
    const noticed: string[] = []
    for (let after: string | null = ''; after !== null; ) {
      const { silent, next } = await findSilentChecks(db, rule, after, checksAtOnce)
      noticed.push(...(await insertOverdueChecks(db, silent)))
      after = next
      await setImmediate()
    }
    if (noticed.length === 0) return
    this.#options.logger.error(
      { checks: noticed.length, checkIds: noticed.slice(0, shown) },
      'checks are overdue: they should run and have had no result for three intervals. See that agents with their locations, types and runtimes are there and keep up',
    )
  }

  /** What has results again, does not run any more or is gone. */
  async #relent(rule: SilenceRule): Promise<void> {
    const db = this.#options.database.kysely
    const heard: string[] = []
    for (let after: string | undefined = ''; after !== undefined; ) {
      const ids = await listOverdueIds(db, after, checksAtOnce)
      const silent = new Set(
        (await silentAmong(db, { ...rule, listeningSince: 0 }, ids)).map((row) => row.checkId),
      )
      heard.push(
        ...(await deleteOverdueChecks(
          db,
          ids.filter((id) => !silent.has(id)),
        )),
      )
      after = ids.at(-1)
    }
    if (heard.length === 0) return
    this.#options.logger.info(
      { checks: heard.length, checkIds: heard.slice(0, shown) },
      'checks are overdue no longer',
    )
  }
}
