import type { Kysely } from 'kysely'
import type { CheckTypeName } from '../../contract/check-types.ts'
import { newId } from '../../lib/ids.ts'
import { lockAccount } from '../../storage/accounts.ts'
import { enqueueRuns } from '../../storage/check-runs.ts'
import type { Schema } from '../../storage/schema.ts'
import { insertSessions } from '../../storage/sessions.ts'
import { inputInvalid, notFound } from '../http/api-error.ts'
import { checkTypeOf } from '../stored/stored-check.ts'
import type { OnDemandOptions } from './on-demand.ts'
import { mostChecksAtOnce, type SelectedCheck } from './select-checks.ts'
import { type IsServed, servedPlaces } from './served-places.ts'
import { placesOf, sessionRun } from './session-runs.ts'

type SessionRow = Schema['sessions']

/** A session and the runs that it begins with. */
export interface Started {
  readonly session: SessionRow
  readonly runs: readonly Schema['checkRuns'][]
}

export interface StartInput {
  /** Epoch milliseconds. */
  readonly now: number
  readonly isServed: IsServed
}

/** What a session of one check keeps beside its columns. */
export interface CheckSessionFacts {
  readonly checkType: CheckTypeName
  readonly locations: readonly string[]
}

/** Stores what `make` plans, all of it or nothing; agents may claim it at once. */
export async function startSessions(
  options: OnDemandOptions,
  accountId: string,
  make: (db: Kysely<Schema>, input: StartInput) => Promise<Started[]>,
): Promise<Started[]> {
  const { database, clock, startedAt } = options
  const now = clock.now()
  const started = await database.transaction(async (db) => {
    // What was found is not changed or deleted before its runs are there.
    await lockAccount(db, accountId)
    const isServed = await servedPlaces(db, accountId, { now, startedAt })
    const made = await make(db, { now, isServed })
    await insertSessions(
      db,
      made.map(({ session }) => session),
    )
    await enqueueRuns(
      db,
      made.flatMap(({ runs }) => runs),
    )
    return made
  })
  options.planned.signal()
  return started
}

/** @throws ApiError 404 when there is nothing to run, 400 when it is too much */
export function assertSome(selected: readonly SelectedCheck[]): void {
  if (selected.length === 0) throw notFound('check: no check that can run matches the target')
  if (selected.length <= mostChecksAtOnce) return
  const text = `"target" means more than ${mostChecksAtOnce} checks, and no more run at once: name fewer`
  throw inputInvalid([{ path: 'target', text }])
}

/** One session for one check, at every place where its turn is. */
export function checkSessionOf(
  selected: SelectedCheck,
  runSource: string,
  { now, isServed }: StartInput,
): Started {
  const { row } = selected
  const sessionId = newId()
  const locations = placesOf(selected, now)
  const facts: CheckSessionFacts = { checkType: checkTypeOf(row), locations }
  const session: SessionRow = {
    id: sessionId,
    accountId: row.accountId,
    kind: 'check',
    checkId: row.id,
    name: row.name,
    runSource,
    definition: JSON.stringify(facts),
    startedAt: now,
    cancelledAt: null,
  }
  return {
    session,
    runs: locations.map((location) => sessionRun(selected, location, { sessionId, now, isServed })),
  }
}
