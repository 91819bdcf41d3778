import type { Kysely } from 'kysely'
import type { HeartbeatCheck } from '../../contract/checks/heartbeat/check.ts'
import type { CheckGroup } from '../../contract/resources/check-group.ts'
import { effectiveCheck } from '../../rules/effective-check.ts'
import { graceMsOf, periodMsOf } from '../../rules/heartbeat.ts'
import { type HeartbeatRow, lockHeartbeat, saveHeartbeats } from '../../storage/heartbeats.ts'
import type { Schema } from '../../storage/schema.ts'
import { flagOf } from '../../storage/tables/flag.ts'
import { checkOfType } from '../stored/stored-check.ts'

/**
 * Brings the timer of a check in line with its definition, in the transaction that changes it or its group; nothing where
 * it is no heartbeat. Re-activating one or another period restarts a timer that runs (semantics §7).
 */
export async function keepHeartbeat(
  db: Kysely<Schema>,
  row: Schema['checks'],
  group: CheckGroup | null,
  now: number,
): Promise<void> {
  const check = checkOfType(row, 'HEARTBEAT')
  if (!check) return
  const known = await lockHeartbeat(db, row.id)
  const settings = settingsOf(row, check, group)
  await saveHeartbeats(db, [known ? changed(known, settings, now) : { ...settings, ...waiting }])
}

type Settings = Pick<HeartbeatRow, 'checkId' | 'accountId' | 'token' | 'active' | 'periodMs' | 'graceMs'>

const waiting = { anchorAt: null, failing: 'no', restartedAt: 0, startedAt: null, deadlineAt: null } as const

function settingsOf(
  { id, accountId }: Schema['checks'],
  check: HeartbeatCheck,
  group: CheckGroup | null,
): Settings {
  const { heartbeat } = check
  return {
    checkId: id,
    accountId,
    token: (heartbeat.pingToken ?? '').toLowerCase(),
    active: flagOf(effectiveCheck(check, group).activated),
    periodMs: Math.round(periodMsOf(heartbeat)),
    graceMs: Math.round(graceMsOf(heartbeat)),
  }
}

function changed(known: HeartbeatRow, settings: Settings, now: number): HeartbeatRow {
  const row = { ...known, ...settings }
  const again = row.active === 1 && known.active === 0
  const restarts = known.anchorAt !== null && (again || row.periodMs !== known.periodMs)
  const { anchorAt } = restarts ? { anchorAt: now } : known
  const deadlineAt = row.active === 0 || anchorAt === null ? null : anchorAt + row.periodMs + row.graceMs
  return { ...row, anchorAt, deadlineAt, ...(restarts && { restartedAt: now, startedAt: null }) }
}
