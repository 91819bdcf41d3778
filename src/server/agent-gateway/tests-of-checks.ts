import type { Kysely } from 'kysely'
import type { Schema } from '../../storage/schema.ts'
import { findRunsOfDefinitions } from '../../storage/session-runs.ts'
import { findSessionsByIds } from '../../storage/sessions.ts'

/** A test session that runs a check with settings of its own. */
export interface TestOfCheck {
  /** What agents know the definition by: to them it is a check of its own, so that none takes it for the other. */
  readonly definitionId: string
  readonly checkId: string
  readonly location: string
  readonly session: Schema['sessions']
}

/** The tests whose definitions go by these ids. */
export async function testsOfChecks(
  db: Kysely<Schema>,
  definitionIds: readonly string[],
): Promise<TestOfCheck[]> {
  if (definitionIds.length === 0) return []
  const runs = await findRunsOfDefinitions(db, definitionIds)
  const sessionIds = runs.flatMap(({ sessionId }) => (sessionId === null ? [] : [sessionId]))
  const rows = await findSessionsByIds(db, [...new Set(sessionIds)])
  const sessions = new Map(rows.map((session) => [session.id, session]))
  return runs.flatMap(({ definitionId, checkId, location, sessionId }) => {
    const session = sessions.get(sessionId ?? '')
    return session && definitionId !== null ? [{ definitionId, checkId, location, session }] : []
  })
}
