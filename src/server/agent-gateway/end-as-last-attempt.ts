import type { Kysely } from 'kysely'
import type { Result } from '../../contract/result.ts'
import { lastAttempt } from '../../storage/attempts-of-runs.ts'
import { finishRun } from '../../storage/check-runs.ts'
import type { Schema } from '../../storage/schema.ts'
import { lockRuns } from '../../storage/settled-runs.ts'
import { settleResults } from './settle-results.ts'

type RunRow = Schema['checkRuns']

/**
 * Ends a run whose retry waited in vain as its last attempt ended: what was seen outranks that nobody came to look again.
 * False when somebody has come for it meanwhile. Belongs in a transaction. See docs/decisions/0015.
 */
export async function endAsLastAttempt(db: Kysely<Schema>, given: RunRow, now: number): Promise<boolean> {
  const [run] = await lockRuns(db, [given.id])
  if (run?.state !== 'pending' || run.attempt !== given.attempt) return false
  const details = await lastAttempt(db, run)
  if (details === undefined)
    return finishRun(db, run.id, { outcome: 'missed', reason: 'not-claimed', at: now })
  // Written by toResultRow and by nothing else.
  const attempt = JSON.parse(details) as Result
  const result: Result = { ...attempt, resultType: 'FINAL', retryAt: null, retryElsewhere: false }
  await settleResults(db, [{ run, result }], { agentId: '', now })
  return true
}
