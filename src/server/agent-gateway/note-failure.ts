import type { Kysely } from 'kysely'
import type { Result } from '../../contract/result.ts'
import { addErrorEvent } from '../../storage/error-groups.ts'
import type { Schema } from '../../storage/schema.ts'
import { findSessionsByIds } from '../../storage/sessions.ts'
import { testFactsOf } from '../on-demand/test-facts.ts'
import { errorGroupOf } from '../stored/error-group-of.ts'

/** Counts a final result that failed in its error group. The same result is never told twice (settleResult). */
export async function noteFailure(
  db: Kysely<Schema>,
  { accountId, checkId, definitionId, sessionId }: Schema['checkRuns'],
  result: Result,
): Promise<void> {
  const ofTest = definitionId !== null
  const group = errorGroupOf(ofTest ? accountId : checkId, result.conclusion)
  if (!group) return
  await addErrorEvent(db, {
    ...group,
    accountId,
    scope: ofTest ? 'test' : 'check',
    checkId: ofTest ? null : checkId,
    environments: JSON.stringify(ofTest ? await environmentsOf(db, sessionId) : []),
    at: result.startedAt,
  })
}

async function environmentsOf(db: Kysely<Schema>, sessionId: string | null): Promise<string[]> {
  const [session] = await findSessionsByIds(db, sessionId === null ? [] : [sessionId])
  const environment = session && testFactsOf(session).metadata.environment
  return environment ? [environment] : []
}
