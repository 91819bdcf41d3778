import type { Kysely } from 'kysely'
import { insertResults } from '../../storage/check-results.ts'
import type { Schema } from '../../storage/schema.ts'
import { letNextRun } from '../../storage/session-runs.ts'
import { saveRuns } from '../../storage/settled-runs.ts'
import { pingForRuns } from '../heartbeats/ping-for-runs.ts'
import { concludeRuns, type Reporting, type Settled } from './conclude-runs.ts'
import { foldStatuses } from './fold-statuses.ts'
import { noteFailure } from './note-failure.ts'
import { retryPlaces } from './retry-places.ts'

/**
 * Reported attempts of runs that are locked: the results, the ledger and the statuses, a few statements for all of them.
 */
export async function settleResults(
  db: Kysely<Schema>,
  reported: readonly Settled[],
  reporting: Reporting,
): Promise<void> {
  const { now } = reporting
  const retryPlace = await retryPlaces(db, reported, now)
  const { runs, rows, finals } = concludeRuns(reported, reporting, retryPlace)
  await saveRuns(db, runs)
  await insertResults(db, rows)
  for (const { run } of finals) if (run.sessionId !== null) await letNextRun(db, run.sessionId, now)
  // A test's results are its session's alone.
  const ofChecks = finals.filter(({ run }) => run.definitionId === null)
  // The status of a heartbeat is that of its pings.
  await foldStatuses(
    db,
    ofChecks.filter(({ run }) => run.checkType !== 'HEARTBEAT'),
    now,
  )
  await pingForRuns(db, ofChecks, now)
  for (const { run, result } of finals) await noteFailure(db, run, result)
}
