import type { Kysely } from 'kysely'
import type { Allowances, Downtime } from '../../rules/heartbeat-deadline.ts'
import { tellHeartbeat } from '../../rules/heartbeat-state.ts'
import { type HeartbeatRow, lockHeartbeatsOfTokens } from '../../storage/heartbeats.ts'
import type { Schema } from '../../storage/schema.ts'
import { allowancesOf, noAllowances } from './allowances.ts'
import { endsOf, eventsOf, type Ping } from './end-pings.ts'
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
  const [first] = ends
  const last = ends.at(-1)
  if (!first || !last) return { before: row, after: before, events: [] }
  const old = row.anchorAt !== null && first.at <= row.anchorAt
  if (old && (first.at !== row.anchorAt || options.mayRepeat))
    return rewriteStory(db, { before: row, row: before }, ends, options)
  const { periodMs, graceMs } = row
  const course = { timing: { periodMs, graceMs }, ...options.known(row), pings: ends, until: last.at }
  const { state, moves } = tellHeartbeat(row, course)
  return { before: row, after: withState(before, state), events: eventsOf(row, moves) }
}
