import { hashId } from '../../src/lib/ids.ts'
import { insertAccount } from '../../src/storage/accounts.ts'
import { type Database, openDatabase } from '../../src/storage/database.ts'
import { saveHeartbeats } from '../../src/storage/heartbeats.ts'
import { migrate } from '../../src/storage/migrate.ts'
import type { Schema } from '../../src/storage/schema.ts'
import { accountId } from '../api/settings.ts'

const rowsATransaction = 500

/** The token of the n-th heartbeat. */
export const tokenOf = (n: number): string => hashId('bench', 'heartbeat', n)

/** When a heartbeat is expected; `anchorAt` null for one that waits for its first ping. */
export type Timer = Pick<Schema['heartbeats'], 'periodMs' | 'graceMs' | 'anchorAt'>

/** An empty database with one account, and so many heartbeats. */
export async function seedHeartbeats(
  url: string,
  count: number,
  timerOf: (n: number) => Timer,
): Promise<void> {
  const database = await openDatabase(url)
  await migrate(database)
  await insertAccount(database.kysely, {
    id: accountId,
    name: 'Bench',
    runtimeId: '2026.04',
    createdAt: Date.now(),
  })
  for (let first = 0; first < count; first += rowsATransaction) {
    const numbers = Array.from({ length: Math.min(rowsATransaction, count - first) }, (_, n) => first + n)
    await writeAll(database, numbers, timerOf)
  }
  await database.close()
}

function writeAll(
  database: Database,
  numbers: readonly number[],
  timerOf: (n: number) => Timer,
): Promise<void> {
  return database.transaction(async (db) => {
    const checks = numbers.map(checkOf)
    await db.insertInto('checks').values(checks).execute()
    await db.insertInto('checkSchedules').values(checks.map(noSchedule)).execute()
    await saveHeartbeats(
      db,
      numbers.map((n) => heartbeatOf(n, timerOf(n))),
    )
  })
}

const checkIdOf = (n: number): string => hashId('bench', 'heartbeat check', n)

function checkOf(n: number): Schema['checks'] {
  return {
    id: checkIdOf(n),
    accountId,
    type: 'HEARTBEAT',
    name: `Job ${n}`,
    activated: 1,
    groupId: null,
    version: 1,
    definition: '{}',
    url: null,
    intervalMs: 60_000,
    phaseMs: 0,
    nextDueAt: null,
    createdAt: Date.now(),
    updatedAt: null,
  }
}

/** It has no runs: a service that starts need not find that out. */
function noSchedule({ id, intervalMs, createdAt }: Schema['checks']): Schema['checkSchedules'] {
  return {
    checkId: id,
    accountId,
    fromAt: createdAt,
    state: 'inactive',
    intervalMs,
    phaseMs: 0,
    runParallel: 0,
    locations: '[]',
    turns: 0,
  }
}

function heartbeatOf(n: number, { periodMs, graceMs, anchorAt }: Timer): Schema['heartbeats'] {
  return {
    checkId: checkIdOf(n),
    accountId,
    token: tokenOf(n),
    active: 1,
    periodMs,
    graceMs,
    anchorAt,
    failing: 'no',
    restartedAt: 0,
    startedAt: null,
    deadlineAt: anchorAt === null ? null : anchorAt + periodMs + graceMs,
  }
}
