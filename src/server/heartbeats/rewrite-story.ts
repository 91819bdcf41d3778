import type { Kysely } from 'kysely'
import type { Downtime } from '../../rules/heartbeat-deadline.ts'
import { type HeartbeatState, tellHeartbeat, waitingForFirstPing } from '../../rules/heartbeat-state.ts'
import type { HeartbeatEventRow } from '../../storage/heartbeat-events.ts'
import {
  deleteHeartbeatEventsFrom,
  heartbeatEventBefore,
  heartbeatEventsFrom,
} from '../../storage/heartbeat-pings.ts'
import type { HeartbeatRow } from '../../storage/heartbeats.ts'
import type { Schema } from '../../storage/schema.ts'
import { allowancesOf } from './allowances.ts'
import { type EndPing, eventsOf } from './end-pings.ts'
import { type HeartbeatChange, withState } from './heartbeat-moves.ts'
import type { RewriteAllowance } from './rewrite-allowance.ts'

/** More events than this behind a ping that comes to us late stay as they are, and it is stored beside them. */
const mostRewritten = 5000

interface RewriteOptions {
  readonly unrecorded: Downtime | null
  readonly mayRepeat: boolean
  /** Shared by all heartbeats of the transaction. */
  readonly allowance: RewriteAllowance
}

/**
 * What becomes of a heartbeat by pings that came before what is known of it: its story is told again from the first of
 * them on, so that it is what it would be had they come to us in time. Null where it is not told again: those before the
 * restart of the timer do not count, and what changes too much stays. @throws ApiError 413 as RewriteAllowance
 */
export async function rewriteStory(
  db: Kysely<Schema>,
  { before, row }: { readonly before: HeartbeatRow; readonly row: HeartbeatRow },
  pings: readonly EndPing[],
  { unrecorded, mayRepeat, allowance }: RewriteOptions,
): Promise<HeartbeatChange | null> {
  const { checkId, restartedAt, periodMs, graceMs } = row
  const counting = pings.filter(({ at }) => at >= restartedAt)
  const [first] = counting
  if (!first) return null
  const most = Math.min(mostRewritten, allowance.events)
  const later = await heartbeatEventsFrom(db, checkId, first.at, most + 1)
  if (!allowance.use(later) || later.length > mostRewritten) return null
  const start = stateAfter(
    row,
    await heartbeatEventBefore(db, checkId, { from: restartedAt, before: first.at }),
  )
  const since = start.anchorAt ?? first.at
  const told = { ...row, ...start }
  const allowances = (await allowancesOf(db, [told], { since, unrecorded }))(told)
  const known = later.filter(({ pings: count }) => count > 0).map(asPing)
  const fresh = mayRepeat ? notAmong(known, counting) : counting
  const all = [...known, ...fresh].toSorted((one, other) => one.at - other.at)
  const { state, moves } = tellHeartbeat(start, {
    timing: { periodMs, graceMs },
    ...allowances,
    pings: all,
    until: Math.max(row.anchorAt ?? 0, all.at(-1)?.at ?? 0) + 1,
  })
  await deleteHeartbeatEventsFrom(db, checkId, first.at)
  return { before, after: withState(row, state), events: eventsOf(row, moves) }
}

function stateAfter({ restartedAt }: HeartbeatRow, event: HeartbeatEventRow | undefined): HeartbeatState {
  if (!event) return restartedAt > 0 ? { anchorAt: restartedAt, failing: 'no' } : waitingForFirstPing
  const failed = event.pings > 0 ? 'reported' : 'missed'
  return { anchorAt: event.at, failing: event.state === 'FAILING' ? failed : 'no' }
}

const asPing = (row: HeartbeatEventRow): EndPing => ({ at: row.at, fails: row.state === 'FAILING', row })

function notAmong(known: readonly EndPing[], told: readonly EndPing[]): EndPing[] {
  const keyOf = ({ at, fails }: EndPing) => `${at} ${fails}`
  const there = new Set(known.map(keyOf))
  return told.filter((ping) => !there.has(keyOf(ping)))
}
