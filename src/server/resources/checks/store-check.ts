import type { Kysely } from 'kysely'
import type { TypedCheck } from '../../../contract/check-schemas.ts'
import type { CheckTypeName } from '../../../contract/check-types.ts'
import type { AnyCheck } from '../../../contract/checks/any-check.ts'
import type { CheckGroup } from '../../../contract/resources/check-group.ts'
import type { Clock } from '../../../lib/clock.ts'
import { newId } from '../../../lib/ids.ts'
import type { Sealer } from '../../../lib/sealing.ts'
import { locationsOf } from '../../../rules/effective-check.ts'
import { lockAccount } from '../../../storage/accounts.ts'
import { lockCheckGroup } from '../../../storage/check-groups.ts'
import { dropPlannedRuns } from '../../../storage/check-runs.ts'
import { deleteCheck, insertCheck, lockCheck, updateCheck } from '../../../storage/checks.ts'
import type { Database } from '../../../storage/database.ts'
import type { Schema } from '../../../storage/schema.ts'
import { assignAlerts } from '../../alerts/alert-subscriptions.ts'
import { keepHeartbeat } from '../../heartbeats/keep-heartbeat.ts'
import { found, inputInvalid, notFound } from '../../http/api-error.ts'
import { sealedPlaces } from '../../secrets/sealed-places.ts'
import { sealSecrets } from '../../secrets/stored-variables.ts'
import { assertRoomFor } from '../../stored/assert-room.ts'
import { referenceFaults } from '../../stored/references.ts'
import { changeInstant, closeSchedule, noteDeletion, noteSchedule } from '../../stored/schedule-changes.ts'
import { storedCheck, storedGroup } from '../../stored/stored-check.ts'
import { checkFaults } from './faults.ts'
import { assertTokenFree, withPingToken } from './ping-token.ts'
import { typedCheck } from './read-check.ts'
import { toRow } from './to-row.ts'
import { updatedCheck } from './updated-check.ts'

export interface CheckOptions {
  readonly database: Database
  readonly clock: Clock
  readonly sealer: Sealer
}

type CheckRow = Schema['checks']

interface NewCheckOptions {
  readonly id?: string
  readonly autoAssign?: boolean
}

/** The group that the check names, once everything about the check is in order. @throws ApiError 400 naming every fault */
async function assertSound(
  db: Kysely<Schema>,
  accountId: string,
  typed: TypedCheck,
  previous?: AnyCheck,
): Promise<CheckGroup | null> {
  const check: AnyCheck = typed.check
  const { groupId } = check
  // No id is larger, and PostgreSQL compares none with what does not fit into 64 bits.
  const mayExist = groupId !== null && Number.isSafeInteger(groupId)
  const row = mayExist ? await lockCheckGroup(db, accountId, groupId) : undefined
  const group = row ? storedGroup(row) : null
  const lost = groupId !== null && group === null
  const text = `"groupId" names ${groupId}, which is the id of no check group of this account`
  const faults = [
    ...checkFaults(typed, group),
    ...(lost ? [{ path: 'groupId', text }] : []),
    ...(await referenceFaults(db, accountId, check, previous)),
  ]
  if (faults.length > 0) throw inputInvalid(faults)
  return group
}

/** The check as it is stored: its secrets sealed, those that were sent empty as they were before. */
function sealed(sealer: Sealer, id: string, typed: TypedCheck, previous?: AnyCheck): TypedCheck {
  const place = (key: string) => sealedPlaces.variableOfCheck(id, key)
  return typedCheck(typed.type, sealSecrets<AnyCheck>(sealer, place, typed.check, previous))
}

const alertsOf = (check: AnyCheck, autoAssign: boolean) => ({
  subscriptions: check.alertChannelSubscriptions,
  autoAssign,
})
const index = (check: AnyCheck) => ({ tags: check.tags, locations: locationsOf(check) })

/** @throws ApiError 400 naming every fault */
export async function createCheck(
  { database, clock, sealer }: CheckOptions,
  accountId: string,
  sent: TypedCheck,
  { id = newId(), autoAssign = true }: NewCheckOptions = {},
): Promise<CheckRow> {
  const now = clock.now()
  const typed = withPingToken(sent)
  return database.transaction(async (db) => {
    // Its group and its channels are there until it is.
    await lockAccount(db, accountId)
    await assertRoomFor(db, accountId, 'checks')
    const group = await assertSound(db, accountId, typed)
    await assertTokenFree(db, accountId, typed)
    const identity = { id, accountId, version: 1, createdAt: now, updatedAt: null }
    const row = toRow(sealed(sealer, id, typed), group, identity, now)
    await insertCheck(db, row, index(typed.check))
    await keepHeartbeat(db, row, group, now)
    await noteSchedule(db, row, group, now)
    await assignAlerts(db, accountId, { checkId: id }, alertsOf(typed.check, autoAssign))
    return row
  })
}

/** The update of a check of `type`: what its schema read. */
export interface CheckUpdate {
  /** Null for whatever type the check has. */
  readonly type: CheckTypeName | null
  readonly body: (type: CheckTypeName) => unknown
  readonly autoAssign: boolean
}

/** Replaces the definition; runs that were planned but not begun are planned anew. @throws ApiError 400, 404 */
export async function replaceCheck(
  { database, clock, sealer }: CheckOptions,
  accountId: string,
  id: string,
  update: CheckUpdate,
): Promise<CheckRow> {
  return database.transaction(async (db) => {
    // A change of its group finds it as it is after this, or is found by it.
    await lockAccount(db, accountId)
    const stored = await lockCheck(db, accountId, id)
    if (!stored || (update.type !== null && stored.type !== update.type))
      throw notFound(update.type === null ? 'check' : `${update.type} check`)
    const at = await changeInstant(db, id, clock)
    const previous = storedCheck(stored)
    const typed = updatedCheck(previous, update.body(previous.type))
    const group = await assertSound(db, accountId, typed, previous.check)
    const { version, createdAt } = stored
    const identity = { id, accountId, version: version + 1, createdAt, updatedAt: at }
    const row = toRow(sealed(sealer, id, typed, previous.check), group, identity, at)
    await closeSchedule(db, stored, at)
    await updateCheck(db, row, index(typed.check))
    await keepHeartbeat(db, row, group, clock.now())
    await noteSchedule(db, row, group, at)
    await assignAlerts(db, accountId, { checkId: id }, alertsOf(typed.check, update.autoAssign))
    await dropPlannedRuns(db, id, at)
    return row
  })
}

/** @throws ApiError 404 */
export function removeCheck({ database, clock }: CheckOptions, accountId: string, id: string): Promise<void> {
  return database.transaction(async (db) => {
    // Whoever subscribes the check to a channel finds it before this, or not at all.
    await lockAccount(db, accountId)
    const row = found(await lockCheck(db, accountId, id), 'check')
    await noteDeletion(db, row, await changeInstant(db, id, clock))
    await deleteCheck(db, accountId, id)
  })
}
