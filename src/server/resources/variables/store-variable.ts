import type { VariableCreate, VariableUpdate } from '../../../contract/resources/variable.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Sealer } from '../../../lib/sealing.ts'
import { lockAccount } from '../../../storage/accounts.ts'
import type { Database } from '../../../storage/database.ts'
import { renewDefinitions } from '../../../storage/definition-versions.ts'
import type { Schema } from '../../../storage/schema.ts'
import { flagOf } from '../../../storage/tables/flag.ts'
import {
  countVariables,
  deleteVariable,
  findVariable,
  insertVariable,
  updateVariable,
} from '../../../storage/variables.ts'
import { ApiError, notFound } from '../../http/api-error.ts'
import { sealedPlaces } from '../../secrets/sealed-places.ts'

export interface VariableOptions {
  readonly database: Database
  readonly clock: Clock
  readonly sealer: Sealer
}

type VariableRow = Schema['variables']

/** Of one account. */
const maxVariables = 1000

/** @throws ApiError 409 when the account has the key already, or has its fill of variables */
export function createVariable(
  { database, clock, sealer }: VariableOptions,
  accountId: string,
  { key, value, locked, secret }: VariableCreate,
): Promise<VariableRow> {
  const row: VariableRow = {
    accountId,
    key,
    value: secret ? sealer.seal(value, sealedPlaces.variable({ accountId, key })) : value,
    locked: flagOf(locked),
    secret: flagOf(secret),
    createdAt: clock.now(),
    updatedAt: null,
  }
  return database.transaction(async (db) => {
    await lockAccount(db, accountId)
    const full = (await countVariables(db, accountId)) >= maxVariables
    if (full && !(await findVariable(db, accountId, key)))
      throw new ApiError('CONFLICT', `An account has at most ${maxVariables} variables: delete one first`)
    if (!(await insertVariable(db, row)))
      throw new ApiError(
        'CONFLICT',
        `A variable with the key "${key}" exists: update it, or choose another key`,
      )
    await renewDefinitions(db, accountId)
    return row
  })
}

/**
 * A secret stays one for good, and keeps its value where none is sent: sending back what was read changes nothing.
 * @throws ApiError 404
 */
export function replaceVariable(
  { database, clock, sealer }: VariableOptions,
  accountId: string,
  key: string,
  update: VariableUpdate,
): Promise<VariableRow> {
  return database.transaction(async (db) => {
    await lockAccount(db, accountId)
    const stored = await findVariable(db, accountId, key)
    if (!stored) throw notFound('variable')
    const secret = stored.secret === 1 || update.secret
    const kept = stored.secret === 1 && update.value === ''
    const sealed = () => sealer.seal(update.value, sealedPlaces.variable(stored))
    const row: VariableRow = {
      ...stored,
      value: kept ? stored.value : secret ? sealed() : update.value,
      locked: flagOf(update.locked),
      secret: flagOf(secret),
      updatedAt: clock.now(),
    }
    await updateVariable(db, row)
    await renewDefinitions(db, accountId)
    return row
  })
}

/** @throws ApiError 404 */
export function removeVariable({ database }: VariableOptions, accountId: string, key: string): Promise<void> {
  return database.transaction(async (db) => {
    await lockAccount(db, accountId)
    if (!(await deleteVariable(db, accountId, key))) throw notFound('variable')
    await renewDefinitions(db, accountId)
  })
}
