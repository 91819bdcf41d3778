import type { Kysely } from 'kysely'
import { orderedId } from '../../lib/ids.ts'
import type { HeartbeatState } from '../../rules/heartbeat-state.ts'
import { foldHeartbeat } from '../../rules/heartbeat-status.ts'
import type { Status } from '../../rules/status.ts'
import { lockStatuses, saveStatuses } from '../../storage/check-statuses.ts'
import type { HeartbeatEventRow } from '../../storage/heartbeat-events.ts'
import { addHeartbeatEvents } from '../../storage/heartbeat-pings.ts'
import { type HeartbeatRow, saveHeartbeats } from '../../storage/heartbeats.ts'
import type { Schema } from '../../storage/schema.ts'
import { flagOf } from '../../storage/tables/flag.ts'

/** One heartbeat, before and after. */
export interface HeartbeatChange {
  readonly before: HeartbeatRow
  readonly after: HeartbeatRow
  readonly events: readonly HeartbeatEventRow[]
}

/** `deadlineAt` of the state without a thought of our downtimes is never too late: whoever looks then knows of them. */
export function withState(
  row: HeartbeatRow,
  { anchorAt, failing }: HeartbeatState,
  deadlineAt = anchorAt === null ? null : anchorAt + row.periodMs + row.graceMs,
): HeartbeatRow {
  return { ...row, anchorAt, failing, deadlineAt }
}

/** No ping came in time. Whoever finds that out, and however often, it is the same event. */
export function missedEvent({ accountId, checkId }: HeartbeatRow, at: number): HeartbeatEventRow {
  return {
    id: orderedId(at, checkId, 'FAILING', 'missed'),
    accountId,
    checkId,
    state: 'FAILING',
    at,
    source: null,
    userAgent: null,
    pings: 0,
    durationMs: null,
    exitCode: null,
    body: null,
  }
}

/** Writes what became of heartbeats that the caller's transaction holds; `now` is when. */
export async function saveChanges(
  db: Kysely<Schema>,
  changes: readonly HeartbeatChange[],
  now: number,
): Promise<void> {
  await saveHeartbeats(
    db,
    changes.map(({ after }) => after),
  )
  await addHeartbeatEvents(db, sumOfSame(changes.flatMap(({ events }) => events)))
  await foldStatuses(db, changes.filter(showsInStatus), now)
}

function sumOfSame(events: readonly HeartbeatEventRow[]): HeartbeatEventRow[] {
  const sums = new Map<string, HeartbeatEventRow>()
  for (const event of events) {
    const pings = (sums.get(event.id)?.pings ?? 0) + event.pings
    sums.set(event.id, { ...event, pings })
  }
  return [...sums.values()]
}

const isFailing = ({ failing }: HeartbeatRow): boolean => failing !== 'no'

/** The first ping, and the beginning and the end of a failure. */
function showsInStatus({ before, after }: HeartbeatChange): boolean {
  const first = before.anchorAt === null && after.anchorAt !== null
  return first || isFailing(before) !== isFailing(after)
}

async function foldStatuses(
  db: Kysely<Schema>,
  changes: readonly HeartbeatChange[],
  now: number,
): Promise<void> {
  const known = await lockStatuses(
    db,
    changes.map(({ after }) => after.checkId),
  )
  const rows = changes.map(({ after }) => {
    const row = known.get(after.checkId)
    // Written by the folds of rules/status and rules/heartbeat-status and by nothing else.
    const previous = row ? (JSON.parse(row.status) as Status) : null
    const status = foldHeartbeat(previous, isFailing(after))
    return {
      checkId: after.checkId,
      accountId: after.accountId,
      status: JSON.stringify(status),
      hasFailures: flagOf(status.hasFailures),
      hasErrors: flagOf(status.hasErrors),
      isDegraded: flagOf(status.isDegraded),
      createdAt: row?.createdAt ?? now,
      updatedAt: now,
    }
  })
  await saveStatuses(db, rows)
}
