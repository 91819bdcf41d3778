import { newId } from '../../src/lib/ids.ts'
import type { Ping } from '../../src/server/heartbeats/end-pings.ts'
import type { Database } from '../../src/storage/database.ts'
import { saveHeartbeats } from '../../src/storage/heartbeats.ts'
import type { Schema } from '../../src/storage/schema.ts'
import { addCheck } from './storage-rows.ts'

type HeartbeatRow = Schema['heartbeats']

/** A heartbeat check that waits for its first ping: a period of 100 s, a grace of 20. */
export async function addHeartbeat(
  database: Database,
  accountId: string,
  changes: Partial<HeartbeatRow> = {},
): Promise<HeartbeatRow> {
  const { id: checkId } = await addCheck(database, accountId, { type: 'HEARTBEAT', nextDueAt: null })
  const row: HeartbeatRow = {
    checkId,
    accountId,
    token: newId(),
    active: 1,
    periodMs: 100_000,
    graceMs: 20_000,
    anchorAt: null,
    failing: 'no',
    restartedAt: 0,
    startedAt: null,
    deadlineAt: null,
    ...changes,
  }
  await saveHeartbeats(database.kysely, [row])
  return row
}

export function pingAt(token: string, at: number, changes: Partial<Ping> = {}): Ping {
  const nothing = { exitCode: null, source: null, userAgent: null, body: null, durationMs: null }
  return { token, kind: 'success', at, ...nothing, ...changes }
}

/** `<state> <seconds since from>`, oldest first. */
export async function storyOf(database: Database, checkId: string, from: number): Promise<string[]> {
  const rows = await database.kysely
    .selectFrom('heartbeatEvents')
    .select(['state', 'at'])
    .where('checkId', '=', checkId)
    .orderBy('at')
    .execute()
  return rows.map(({ state, at }) => `${state} ${(at - from) / 1000}`)
}
