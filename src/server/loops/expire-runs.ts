import type { Kysely } from 'kysely'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { missingCapability } from '../../rules/missing-capability.ts'
import { finishRun, unclaimedRuns } from '../../storage/check-runs.ts'
import type { Database } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'
import { letStalledRuns } from '../../storage/session-runs.ts'
import { endAsLastAttempt } from '../agent-gateway/end-as-last-attempt.ts'
import { agentsOfPlaces } from '../stored/agents-of-places.ts'

/** A run that nobody claimed within this time is recorded as missed (semantics §5). */
const unclaimedAfterMs = 6 * 60_000
/**
 * A run that an agent has, or one after the other, and that has no result after this time gets none: longer than any retry
 * waits. Whatever is seen of its target later still counts.
 */
const unreportedAfterMs = 30 * 60_000
const tickMs = 10_000
const runsATurn = 1000

type AgentsAt = Awaited<ReturnType<typeof agentsOfPlaces>>

function reasonOf(run: Schema['checkRuns'], agentsAt: AgentsAt, at: number): string {
  const { state, leaseUntil, accountId, location } = run
  const isHeld = state === 'leased' && leaseUntil !== null && leaseUntil >= at - unclaimedAfterMs
  if (isHeld) return 'not-reported'
  return missingCapability(agentsAt(accountId, location), run) ? 'missing-capability' : 'not-claimed'
}

/** Its attempt was seen to fail, and nobody has it who may tell more. */
const isRetry = ({ state, attempt }: Schema['checkRuns']) => state === 'pending' && attempt > 1

interface ExpireOptions {
  readonly database: Database
  readonly clock: Clock
  readonly logger: Logger
}

/** One turn: gives runs that nobody came for their final outcome, and lets those that nobody is left to let. Returns the milliseconds until the next turn. */
export async function expireRunsTurn({ database, clock, logger }: ExpireOptions): Promise<number> {
  const at = clock.now()
  const expired = await database.transaction(async (db) => {
    const runs = await unclaimedRuns(db, {
      attemptBefore: at - unclaimedAfterMs,
      claimedBefore: at - unreportedAfterMs,
      limit: runsATurn,
    })
    await missAll(
      db,
      runs.filter((run) => !isRetry(run)),
      at,
    )
    await letStalledRuns(db, at)
    return runs
  })
  const retries: Schema['checkRuns'][] = []
  // Each by itself: what was seen moves statuses, which are locked one after the other.
  for (const run of expired.filter(isRetry)) {
    if (await database.transaction((db) => endAsLastAttempt(db, run, at))) retries.push(run)
  }
  say(
    logger,
    'runs were missed: no agent that can run them came within 6 minutes, or none that came reported a result',
    expired.filter((run) => !isRetry(run)),
  )
  say(logger, 'runs ended as their last attempt: no agent that can retry them came within 6 minutes', retries)
  return expired.length === runsATurn ? 0 : tickMs
}

async function missAll(db: Kysely<Schema>, runs: readonly Schema['checkRuns'][], at: number): Promise<void> {
  if (runs.length === 0) return
  const agentsAt = await agentsOfPlaces(db, at)
  for (const run of runs)
    await finishRun(db, run.id, { outcome: 'missed', reason: reasonOf(run, agentsAt, at), at })
}

function say(logger: Logger, text: string, runs: readonly Schema['checkRuns'][]): void {
  if (runs.length === 0) return
  const locations = [...new Set(runs.map(({ location }) => location))]
  logger.warn({ runs: runs.length, locations }, text)
}
