import type { Kysely } from 'kysely'
import { missingCapability } from '../../rules/missing-capability.ts'
import { type PlacedCheck, placesOfChecks } from '../../storage/places-of-checks.ts'
import type { Schema } from '../../storage/schema.ts'
import { agentsOfPlaces } from './agents-of-places.ts'

/** A check, and a location of it where agents are and none can run checks of its type. */
export interface IncapablePlace extends Omit<PlacedCheck, 'locations'> {
  readonly location: string
  /** What none of them has: the end of a sentence. */
  readonly missing: string
}

/** Of the account's checks that run, or of one of them; the newest check first. */
export async function incapablePlaces(
  db: Kysely<Schema>,
  {
    accountId,
    checkId,
    now,
  }: { readonly accountId: string; readonly checkId?: string; readonly now: number },
): Promise<IncapablePlace[]> {
  const agentsAt = await agentsOfPlaces(db, now)
  const checks = await placesOfChecks(db, accountId, checkId)
  return checks.flatMap(({ locations, ...check }) =>
    [...new Set(locations)].flatMap((location) => {
      const missing = missingCapability(agentsAt(accountId, location), {
        checkType: check.type,
        runtime: null,
      })
      return missing === null ? [] : [{ ...check, location, missing }]
    }),
  )
}
