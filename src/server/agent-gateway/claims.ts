import type { Kysely } from 'kysely'
import {
  type ClaimRequest,
  type ClaimResponse,
  claimAheadMs,
  leaseMs,
} from '../../contract/agent-protocol.ts'
import type { Run } from '../../contract/run.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Sealer } from '../../lib/sealing.ts'
import { sleep } from '../../lib/sleep.ts'
import { claimRuns, nextAttemptAt } from '../../storage/check-runs.ts'
import type { Database } from '../../storage/database.ts'
import { findPrivateLocationBySlug } from '../../storage/private-locations.ts'
import { type LeaseHolder, releaseAllRuns, releaseRuns } from '../../storage/run-leases.ts'
import type { Schema } from '../../storage/schema.ts'
import type { AgentPrincipal } from '../http/authentication.ts'
import { openProxyUrl } from '../secrets/proxy-url.ts'
import type { WakeUp } from '../wake-up.ts'
import type { AgentsSeen } from './agents-seen.ts'
import { reachOf, servedLocations } from './served-locations.ts'

export interface ClaimOptions {
  readonly database: Database
  readonly clock: Clock
  readonly sealer: Sealer
  /** Told when runs were planned in this process. */
  readonly planned: WakeUp
  readonly seen: AgentsSeen
}

/** Another server on the same database may have planned runs: look again after this long. */
const lookAgainMs = 1000

function toRun(row: Schema['checkRuns']): Run {
  const { id, version, location, dueAt, intervalMs, attempt, attemptAt, firstStartedAt } = row
  const checkId = row.definitionId ?? row.checkId
  return { id, checkId, version, location, dueAt, intervalMs, attempt, attemptAt, firstStartedAt }
}

/** The way to the targets of the agent's location; null where there is no proxy on it. @throws AppError SECRET_UNREADABLE */
async function proxyUrlFor(
  db: Kysely<Schema>,
  sealer: Sealer,
  { accountId, location }: AgentPrincipal,
): Promise<string | null> {
  const place = accountId === null ? null : await findPrivateLocationBySlug(db, accountId, location)
  return (place && openProxyUrl(sealer, place)) || null
}

/** Whoever asked is gone and will not hear of these runs: the next one who asks has them at once. */
async function giveBack(
  database: Database,
  holder: Omit<LeaseHolder, 'runIds'>,
  rows: readonly Schema['checkRuns'][],
): Promise<[]> {
  if (rows.length > 0) {
    await releaseRuns(database.kysely, { ...holder, runIds: rows.map(({ id }) => id) })
  }
  return []
}

/**
 * Leases runs to an agent, as soon as there are any for it: those due now or within `claimAheadMs`. Waits for at most
 * the time that the claim allows and then answers empty.
 */
export async function claim(
  options: ClaimOptions,
  agent: AgentPrincipal,
  request: ClaimRequest,
  signal: AbortSignal,
): Promise<ClaimResponse> {
  const { database, clock, planned } = options
  await options.seen.note(agent, request)
  if (request.begins) await releaseAllRuns(database.kysely, { ...reachOf(agent), agentId: request.agentId })
  const deadline = clock.now() + request.waitMs
  for (;;) {
    const news = planned.next
    const now = clock.now()
    const filter = {
      accountId: agent.accountId,
      locations: await servedLocations(database.kysely, agent, now),
      checkTypes: request.capabilities.checkTypes,
      runtimes: request.capabilities.runtimes,
    }
    // Together: where the proxy cannot be told, no run is leased.
    const { proxyUrl, rows } = await database.transaction(async (db) => ({
      proxyUrl: await proxyUrlFor(db, options.sealer, agent),
      rows: await claimRuns(db, database.engine, {
        ...filter,
        agentId: request.agentId,
        now,
        dueBefore: now + claimAheadMs,
        leaseUntil: now + leaseMs,
        limit: request.slots,
      }),
    }))
    if (signal.aborted) {
      const holder = { ...reachOf(agent), agentId: request.agentId }
      return { serverTime: clock.now(), proxyUrl, runs: await giveBack(database, holder, rows) }
    }
    if (rows.length > 0 || now >= deadline)
      return { serverTime: clock.now(), proxyUrl, runs: rows.map(toRun) }
    const next = await nextAttemptAt(database.kysely, filter)
    const untilClaimable = next === null ? lookAgainMs : Math.max(1, next - claimAheadMs - now)
    await sleep(Math.min(untilClaimable, lookAgainMs, deadline - now), AbortSignal.any([news, signal]))
  }
}
