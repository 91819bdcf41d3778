import type { Kysely } from 'kysely'
import { resultIdOf } from '../contract/run-ids.ts'
import { among } from './among.ts'
import { engineOf } from './engine.ts'
import type { Schema } from './schema.ts'

type AttemptedRun = Pick<Schema['checkRuns'], 'id' | 'dueAt' | 'attempt'>

/** No strategy retries more often (contract/retry-strategy). */
const mostAttempts = 11

/** Of each run, by its id, the locations where its attempts until now were made. */
export async function attemptLocations(
  db: Kysely<Schema>,
  runs: readonly AttemptedRun[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  if (runs.length === 0) return new Map()
  const ids = runs.flatMap(({ id, attempt }) =>
    Array.from({ length: Math.min(attempt - 1, mostAttempts) }, (_, index) => resultIdOf(id, index + 1)),
  )
  const rows = await resultsWithIds(db, runs, ids).select(['runId', 'location']).execute()
  const ofRun = Map.groupBy(rows, ({ runId }) => runId)
  return new Map([...ofRun].map(([id, made]) => [id, new Set(made.map(({ location }) => location))]))
}

/** Details of the attempt before the one that is to be made; undefined where there is none. */
export async function lastAttempt(db: Kysely<Schema>, run: AttemptedRun): Promise<string | undefined> {
  const ids = [resultIdOf(run.id, run.attempt - 1)]
  const row = await resultsWithIds(db, [run], ids)
    .select('details')
    .where('resultType', '=', 'ATTEMPT')
    .executeTakeFirst()
  return row?.details
}

/** With when the runs were due: by that PostgreSQL knows the partitions. */
function resultsWithIds(db: Kysely<Schema>, runs: readonly AttemptedRun[], ids: readonly string[]) {
  const dueAts = runs.map(({ dueAt }) => dueAt)
  return db
    .selectFrom('checkResults')
    .where(among(engineOf(db), 'id', ids))
    .where('dueAt', '>=', Math.min(...dueAts))
    .where('dueAt', '<=', Math.max(...dueAts))
}
