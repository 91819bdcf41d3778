import { setImmediate } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { isIll } from '../../rules/location-health.ts'
import type { Database } from '../../storage/database.ts'
import {
  countEndedRuns,
  deleteIllLocation,
  type EndedRunsOfPlace,
  insertIllLocation,
  listIllLocations,
  type Place,
} from '../../storage/ill-locations.ts'
import type { Schema } from '../../storage/schema.ts'

const tickMs = 30_000
const windowMs = 3 * 60_000
/** SQLite works on the event loop: what it counts at once must not hold others up. */
const sliceMs = 15_000

const placeKey = ({ accountId, location }: Place) => `${accountId ?? ''}/${location}`
const total = (runs: readonly EndedRunsOfPlace[]) => runs.reduce((sum, one) => sum + one.runs, 0)

/** What most of them gave. */
function mainReason(errored: readonly EndedRunsOfPlace[]): string {
  const ofReason = [...Map.groupBy(errored, ({ reason }) => reason ?? '')]
  const [main] = ofReason.toSorted(([, a], [, b]) => total(b) - total(a))
  return main?.[0] ?? ''
}

async function countLately(db: Kysely<Schema>, now: number): Promise<EndedRunsOfPlace[]> {
  const counted: EndedRunsOfPlace[] = []
  for (let fromMs = now - windowMs; fromMs < now; fromMs += sliceMs) {
    counted.push(...(await countEndedRuns(db, { fromMs, untilMs: fromMs + sliceMs - 1 })))
    await setImmediate()
  }
  return counted
}

/**
 * One turn: tells once when most runs of a location end for a fault of our own, and once when they do no longer. Returns
 * the milliseconds until the next turn.
 */
export async function watchLocationHealthTurn(options: {
  readonly database: Database
  readonly clock: Clock
  readonly logger: Logger
}): Promise<number> {
  const db = options.database.kysely
  const now = options.clock.now()
  const known = new Set((await listIllLocations(db)).map(placeKey))
  const places = Map.groupBy(await countLately(db, now), placeKey)
  for (const [key, runs] of places) {
    const [place] = runs
    if (!place) continue
    const { accountId, location } = place
    const erroredRuns = runs.filter(({ outcome }) => outcome === 'errored')
    const facts = {
      location,
      runs: total(runs),
      errored: total(erroredRuns),
      reason: mainReason(erroredRuns),
    }
    const ill = isIll({ ended: facts.runs, errored: facts.errored }, known.has(key))
    if (ill === known.has(key)) continue
    if (ill && (await insertIllLocation(db, { accountId, location, reason: facts.reason, sinceAt: now }))) {
      options.logger.error(
        facts,
        'a location is ill: most of its runs end for a fault of ours, and say nothing of their targets. Look at its agents',
      )
    }
    if (!ill && (await deleteIllLocation(db, place))) {
      options.logger.info({ location, runs: facts.runs }, 'a location is well again')
    }
  }
  return tickMs
}
