import type { Kysely } from 'kysely'
import type { ApiCheck, ApiCheckUpdate } from '../../../contract/checks/api/check.ts'
import type { Clock } from '../../../lib/clock.ts'
import { newId } from '../../../lib/ids.ts'
import type { Sealer } from '../../../lib/sealing.ts'
import { lockAccount } from '../../../storage/accounts.ts'
import { dropPlannedRuns } from '../../../storage/check-runs.ts'
import { insertCheck, lockCheck, updateCheck } from '../../../storage/checks.ts'
import type { Database } from '../../../storage/database.ts'
import { lockPrivateLocations } from '../../../storage/private-locations.ts'
import type { Schema } from '../../../storage/schema.ts'
import { inputInvalid, notFound } from '../../api-error.ts'
import { sealSecrets } from '../../check-variables.ts'
import { locationsOf, storedCheck } from '../../stored-check.ts'
import { checkFaults } from './faults.ts'
import { toRow } from './to-row.ts'

export interface CheckOptions {
  readonly database: Database
  readonly clock: Clock
  readonly sealer: Sealer
}

type CheckRow = Schema['checks']

async function assertSound(db: Kysely<Schema>, accountId: string, check: ApiCheck): Promise<void> {
  const known = await lockPrivateLocations(db, accountId, check.privateLocations ?? [])
  const faults = checkFaults(
    check,
    known.map(({ slugName }) => slugName),
  )
  if (faults.length > 0) throw inputInvalid(faults)
}

const index = (check: ApiCheck) => ({ tags: check.tags, locations: locationsOf(check) })

/** @throws ApiError 400 naming every fault */
export async function createCheck(
  options: CheckOptions,
  accountId: string,
  check: ApiCheck,
  id: string = newId(),
): Promise<CheckRow> {
  const { database, clock, sealer } = options
  const now = clock.now()
  return database.transaction(async (db) => {
    // A change of what all checks share (storage/renew-definitions) finds the new check, or is found by it.
    await lockAccount(db, accountId)
    await assertSound(db, accountId, check)
    const row = toRow(
      sealSecrets(sealer, id, check),
      { id, accountId, version: 1, createdAt: now, updatedAt: null },
      now,
    )
    await insertCheck(db, row, index(check))
    return row
  })
}

/** Replaces the definition; runs that were planned but not begun are planned anew. @throws ApiError 400, 404 */
export async function replaceCheck(
  options: CheckOptions,
  accountId: string,
  id: string,
  update: ApiCheckUpdate,
): Promise<CheckRow> {
  const { database, clock, sealer } = options
  const now = clock.now()
  return database.transaction(async (db) => {
    const stored = await lockCheck(db, accountId, id)
    if (stored?.type !== 'API') throw notFound('API check')
    const previous = storedCheck(stored)
    const { name = previous.name, request = previous.request } = update
    const check: ApiCheck = { ...update, name, request }
    await assertSound(db, accountId, check)
    const identity = {
      id,
      accountId,
      version: stored.version + 1,
      createdAt: stored.createdAt,
      updatedAt: now,
    }
    const row = toRow(sealSecrets(sealer, id, check, previous), identity, now)
    await updateCheck(db, row, index(check))
    await dropPlannedRuns(db, id, now)
    return row
  })
}
