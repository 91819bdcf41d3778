import { runIdOf } from '../../src/contract/run-ids.ts'
import { newId } from '../../src/lib/ids.ts'
import { insertAccount } from '../../src/storage/accounts.ts'
import { insertCheck } from '../../src/storage/checks.ts'
import type { Database } from '../../src/storage/database.ts'
import type { Schema } from '../../src/storage/schema.ts'

/** Where the time of the rows begins: a full minute, too large for 32 bits. */
export const t0 = 1_772_366_400_000
const minuteMs = 60_000

export async function addAccount(database: Database, name = 'Ours'): Promise<string> {
  const id = newId()
  await insertAccount(database.kysely, { id, name, runtimeId: '2026.04', createdAt: t0 })
  return id
}

export function checkRow(accountId: string, changes: Partial<Schema['checks']> = {}): Schema['checks'] {
  return {
    id: newId(),
    accountId,
    type: 'API',
    name: 'Shop',
    activated: 1,
    groupId: null,
    version: 1,
    definition: '{"name":"Shop"}',
    url: 'https://shop.example/health',
    intervalMs: minuteMs,
    phaseMs: 0,
    nextDueAt: t0,
    createdAt: t0,
    updatedAt: null,
    ...changes,
  }
}

export async function addCheck(
  database: Database,
  accountId: string,
  changes: Partial<Schema['checks']> = {},
  index: { tags?: readonly string[]; locations?: readonly string[] } = {},
): Promise<Schema['checks']> {
  const row = checkRow(accountId, changes)
  await insertCheck(database.kysely, row, { tags: [], locations: ['eu-west-1'], ...index })
  return row
}

/** A run that waits at a data-center location. */
export function runRow(changes: Partial<Schema['checkRuns']> = {}): Schema['checkRuns'] {
  const { checkId = 'a check', location = 'eu-west-1', dueAt = t0 } = changes
  return {
    id: runIdOf(checkId, location, dueAt),
    accountId: 'an account',
    checkId,
    checkType: 'API',
    version: 1,
    location,
    slotLocation: null,
    dataCenter: 1,
    runtime: null,
    dueAt,
    intervalMs: minuteMs,
    state: 'pending',
    attempt: 1,
    attemptAt: dueAt,
    firstStartedAt: null,
    agentId: null,
    leaseUntil: null,
    outcome: null,
    reason: null,
    createdAt: t0,
    sessionId: null,
    definitionId: null,
    finishedAt: null,
    ...changes,
  }
}

/** As many runs as asked for, one second apart. */
export function runRows(count: number, changes: Partial<Schema['checkRuns']> = {}): Schema['checkRuns'][] {
  return Array.from({ length: count }, (_, index) => runRow({ ...changes, dueAt: t0 + index * 1000 }))
}

export function resultRow(changes: Partial<Schema['checkResults']> = {}): Schema['checkResults'] {
  const { startedAt = t0 } = changes
  return {
    id: newId(),
    accountId: 'an account',
    checkId: 'a check',
    runId: newId(),
    resultType: 'FINAL',
    attempt: 1,
    location: 'eu-west-1',
    dueAt: startedAt,
    startedAt,
    stoppedAt: startedAt + 100,
    createdAt: startedAt + 200,
    hasFailures: 0,
    hasErrors: 0,
    isDegraded: 0,
    overMaxResponseTime: 0,
    responseTimeMs: 99.5,
    details: '{"attempt":1}',
    statusCode: 200,
    measures: '{"total":99.5}',
    ...changes,
  }
}

export function statusRow(
  accountId: string,
  checkId: string,
  changes: Partial<Schema['checkStatuses']> = {},
): Schema['checkStatuses'] {
  return {
    checkId,
    accountId,
    status: '{}',
    hasFailures: 0,
    hasErrors: 0,
    isDegraded: 0,
    createdAt: t0,
    updatedAt: t0,
    ...changes,
  }
}

export function variableRow(
  accountId: string,
  key: string,
  changes: Partial<Schema['variables']> = {},
): Schema['variables'] {
  return { accountId, key, value: 'v', locked: 0, secret: 0, createdAt: t0, updatedAt: null, ...changes }
}

export function certificateRow(
  accountId: string,
  changes: Partial<Schema['clientCertificates']> = {},
): Schema['clientCertificates'] {
  return {
    id: newId(),
    accountId,
    host: 'shop.example',
    cert: 'a certificate',
    key: 'v1:a sealed key',
    passphrase: null,
    ca: null,
    createdAt: t0,
    ...changes,
  }
}
