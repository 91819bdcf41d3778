import type { Kysely } from 'kysely'
import type { Allowances, Downtime } from '../../rules/heartbeat-deadline.ts'
import { type HeartbeatMove, tellHeartbeat } from '../../rules/heartbeat-state.ts'
import { heartbeatEventsAt } from '../../storage/heartbeat-pings.ts'
import { type HeartbeatRow, lockHeartbeatsOfTokens } from '../../storage/heartbeats.ts'
import type { Schema } from '../../storage/schema.ts'
import { allowancesOf, noAllowances } from './allowances.ts'
import { type EndPing, endsOf, eventsOf, type Ping } from './end-pings.ts'
import { type HeartbeatChange, saveChanges, withState } from './heartbeat-moves.ts'
import { RewriteAllowance } from './rewrite-allowance.ts'
import { rewriteStory } from './rewrite-story.ts'

interface TakeOptions {
  readonly now: number
  /** A downtime that may not be in storage yet (OwnDowntime). */
  readonly unrecorded: Downtime | null
  /** Whoever sends these sends them again until we answer: two of one heartbeat and instant are one. */
  readonly mayRepeat: boolean
  /** Only heartbeats of this account are there for whoever sends these; all where it is missing or null. */
  readonly accountId?: string | null
}

/** No period is shorter (semantics §1): pings that are closer together have no deadline between them. */
const shortestPeriodMs = 30_000

/**
 * Takes pings, in the caller's transaction, as of when they came: one that was taken elsewhere while we thought that its
 * heartbeat failed undoes that. Gives the tokens that are of a heartbeat; the pings of a
 * deactivated one do not count. @throws ApiError 413 where they would change too much at once, and may be sent again
 */
export async function takePings(
  db: Kysely<Schema>,
  pings: readonly Ping[],
  options: TakeOptions,
): Promise<ReadonlySet<string>> {
  const { now, accountId = null } = options
  const told = pings
    .map((ping) => ({ ...ping, at: Math.min(ping.at, now) }))
    .toSorted((one, other) => one.at - other.at)
  const byToken = Map.groupBy(told, ({ token }) => token)
  const locked = await lockHeartbeatsOfTokens(db, [...byToken.keys()])
  const rows = locked.filter((row) => accountId === null || row.accountId === accountId)
  const active = rows.filter((row) => row.active === 1)
  const known = await knownOf(db, active, told, options)
  const allowance = new RewriteAllowance(options.mayRepeat && told.length > 1)
  const changes: HeartbeatChange[] = []
  for (const row of active)
    changes.push(await takeOf(db, row, byToken.get(row.token) ?? [], { ...options, known, allowance }))
  await saveChanges(db, changes, now)
  return new Set(rows.map(({ token }) => token))
}

/** It matters where a deadline may have passed. */
async function knownOf(
  db: Kysely<Schema>,
  rows: readonly HeartbeatRow[],
  told: readonly Ping[],
  { unrecorded }: TakeOptions,
): Promise<(row: HeartbeatRow) => Allowances> {
  const oldest = told[0]?.at ?? 0
  const newest = told.at(-1)?.at ?? 0
  const passed = rows.some(
    ({ anchorAt, periodMs, graceMs }) => anchorAt !== null && anchorAt + periodMs + graceMs < newest,
  )
  if (!passed && newest - oldest < shortestPeriodMs) return noAllowances
  const since = rows.reduce((least, { anchorAt }) => Math.min(least, anchorAt ?? least), oldest)
  return allowancesOf(db, rows, { since, unrecorded })
}

async function takeOf(
  db: Kysely<Schema>,
  row: HeartbeatRow,
  pings: readonly Ping[],
  options: TakeOptions & {
    readonly known: (row: HeartbeatRow) => Allowances
    readonly allowance: RewriteAllowance
  },
): Promise<HeartbeatChange> {
  const { ends, startedAt } = endsOf(row, pings)
  const before = { ...row, startedAt }
  const last = ends.at(-1)
  if (!last) return { before: row, after: before, events: [] }
  const { anchorAt, periodMs, graceMs } = row
  const isOld = ({ at }: EndPing): boolean =>
    anchorAt !== null && (options.mayRepeat ? at <= anchorAt : at < anchorAt)
  const old = ends.filter(isOld)
  const retold = old.length > 0 && (await rewriteStory(db, { before: row, row: before }, ends, options))
  if (retold) return retold
  const course = {
    timing: { periodMs, graceMs },
    ...options.known(row),
    pings: ends.filter((ping) => !isOld(ping)),
    until: last.at,
  }
  const { state, moves } = tellHeartbeat(row, course)
  const kept = options.mayRepeat ? await notStored(db, row, old) : old
  return { before: row, after: withState(before, state), events: eventsOf(row, [...beside(kept), ...moves]) }
}

/** Those that were kept the last time that they were sent are left away. */
async function notStored(
  db: Kysely<Schema>,
  { checkId }: HeartbeatRow,
  pings: readonly EndPing[],
): Promise<readonly EndPing[]> {
  if (pings.length === 0) return pings
  const stored = await heartbeatEventsAt(
    db,
    checkId,
    pings.map(({ at }) => at),
  )
  const there = new Set(stored.map(({ at, state }) => `${at} ${state === 'FAILING'}`))
  return pings.filter(({ at, fails }) => !there.has(`${at} ${fails}`))
}

/** They change nothing, and are kept. */
const beside = (pings: readonly EndPing[]): HeartbeatMove<EndPing>[] =>
  pings.map((ping) => ({ state: ping.fails ? 'FAILING' : 'RECEIVED', at: ping.at, ping }))
