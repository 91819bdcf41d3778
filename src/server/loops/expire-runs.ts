import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { finishRun, unclaimedRuns } from '../../storage/check-runs.ts'
import type { Database } from '../../storage/database.ts'
import { letStalledRuns } from '../../storage/session-runs.ts'

/** A run that nobody claimed within this time is recorded as missed (semantics §5). */
const unclaimedAfterMs = 6 * 60_000
const tickMs = 10_000
const runsATurn = 1000

/** One turn: gives runs that nobody came for their final outcome, and lets those that nobody is left to let. Returns the milliseconds until the next turn. */
export async function expireRunsTurn(options: {
  readonly database: Database
  readonly clock: Clock
  readonly logger: Logger
}): Promise<number> {
  const { database, clock, logger } = options
  const expired = await database.transaction(async (db) => {
    const at = clock.now()
    const runs = await unclaimedRuns(db, { attemptBefore: at - unclaimedAfterMs, limit: runsATurn })
    for (const run of runs) await finishRun(db, run.id, { outcome: 'missed', reason: 'not-claimed', at })
    await letStalledRuns(db, at)
    return runs
  })
  if (expired.length > 0) {
    const locations = [...new Set(expired.map(({ location }) => location))]
    logger.warn(
      { runs: expired.length, locations },
      'runs were missed: no agent that can run them came within 6 minutes',
    )
  }
  return expired.length === runsATurn ? 0 : tickMs
}
