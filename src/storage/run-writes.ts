import type { Schema } from './schema.ts'
import { rowWrite } from './write-rows.ts'

const columns = [
  'id',
  'accountId',
  'checkId',
  'checkType',
  'version',
  'location',
  'slotLocation',
  'dataCenter',
  'runtime',
  'dueAt',
  'intervalMs',
  'state',
  'attempt',
  'attemptAt',
  'firstStartedAt',
  'agentId',
  'leaseUntil',
  'outcome',
  'reason',
  'createdAt',
  'sessionId',
  'definitionId',
  'finishedAt',
] as const satisfies readonly (keyof Schema['checkRuns'])[]
/** What becomes of a run that is there: it stays, or is as given. */
export const runWrites = {
  keep: rowWrite('checkRuns', columns, ['id'], 'keep'),
  replace: rowWrite('checkRuns', columns, ['id'], 'replace'),
} as const
