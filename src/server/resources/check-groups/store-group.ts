import type { Kysely } from 'kysely'
import type { CheckGroup } from '../../../contract/resources/check-group.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Sealer } from '../../../lib/sealing.ts'
import { lockAccount } from '../../../storage/accounts.ts'
import {
  deleteCheckGroup,
  insertCheckGroup,
  lockCheckGroup,
  updateCheckGroup,
} from '../../../storage/check-groups.ts'
import { listChecksOfGroup } from '../../../storage/checks-of-group.ts'
import { nextNumber } from '../../../storage/counters.ts'
import type { Database } from '../../../storage/database.ts'
import type { Schema } from '../../../storage/schema.ts'
import { assignAlerts } from '../../alerts/alert-subscriptions.ts'
import { ApiError, found, inputInvalid } from '../../http/api-error.ts'
import { sealedPlaces } from '../../secrets/sealed-places.ts'
import { sealSecrets } from '../../secrets/stored-variables.ts'
import { assertRoomFor } from '../../stored/assert-room.ts'
import { definitionText } from '../../stored/definition-text.ts'
import { referenceFaults } from '../../stored/references.ts'
import { storedGroup } from '../../stored/stored-check.ts'
import { groupFaults } from './group-faults.ts'
import { renewChecks } from './renew-checks.ts'

export interface CheckGroupOptions {
  readonly database: Database
  readonly clock: Clock
  readonly sealer: Sealer
}

type GroupRow = Schema['checkGroups']

/** A group whose name may be left out: then it keeps the one it has. */
type CheckGroupUpdate = Omit<CheckGroup, 'name'> & { readonly name?: string | undefined }

async function assertSound(db: Kysely<Schema>, accountId: string, group: CheckGroup): Promise<void> {
  const faults = [...groupFaults(group), ...(await referenceFaults(db, accountId, group))]
  if (faults.length > 0) throw inputInvalid(faults)
}

/** The table of subscriptions is the one that is true. @throws ApiError 413 */
function toDefinition({ alertChannelSubscriptions: _sent, ...stored }: CheckGroup): string {
  return definitionText(stored, { what: 'check group' })
}

const placeIn = (id: number) => (key: string) => sealedPlaces.variableOfGroup(id, key)

/** @throws ApiError 400 naming every fault */
export function createGroup(
  { database, clock, sealer }: CheckGroupOptions,
  accountId: string,
  group: CheckGroup,
  autoAssign: boolean,
): Promise<GroupRow> {
  return database.transaction(async (db) => {
    await lockAccount(db, accountId)
    await assertRoomFor(db, accountId, 'checkGroups')
    await assertSound(db, accountId, group)
    const id = await nextNumber(db, 'check-group')
    const definition = toDefinition(sealSecrets(sealer, placeIn(id), group))
    const row = { id, accountId, name: group.name, definition, createdAt: clock.now(), updatedAt: null }
    await insertCheckGroup(db, row, group.tags)
    const { alertChannelSubscriptions: subscriptions } = group
    await assignAlerts(db, accountId, { groupId: id }, { subscriptions, autoAssign })
    return row
  })
}

/** Replaces the group; its checks run by it from their next slot on. @throws ApiError 400, 404 */
export function replaceGroup(
  { database, clock, sealer }: CheckGroupOptions,
  accountId: string,
  id: number,
  update: CheckGroupUpdate,
  autoAssign: boolean,
): Promise<GroupRow> {
  const now = clock.now()
  return database.transaction(async (db) => {
    await lockAccount(db, accountId)
    const stored = found(await lockCheckGroup(db, accountId, id), 'check group')
    const previous = storedGroup(stored)
    const group: CheckGroup = { ...update, name: update.name ?? previous.name }
    await assertSound(db, accountId, group)
    const sealed = sealSecrets(sealer, placeIn(id), group, previous)
    const row = { ...stored, name: group.name, definition: toDefinition(sealed), updatedAt: now }
    await updateCheckGroup(db, row, group.tags)
    const { alertChannelSubscriptions: subscriptions } = group
    await assignAlerts(db, accountId, { groupId: id }, { subscriptions, autoAssign })
    await renewChecks(db, row, clock)
    return row
  })
}

/** @throws ApiError 404, 409 while it has checks */
export function removeGroup({ database }: CheckGroupOptions, accountId: string, id: number): Promise<void> {
  return database.transaction(async (db) => {
    await lockAccount(db, accountId)
    found(await lockCheckGroup(db, accountId, id), 'check group')
    const { total } = await listChecksOfGroup(db, id, { offset: 0, limit: 1 })
    if (total > 0) throw new ApiError('CONFLICT', 'Please remove all checks from a group before deleting it.')
    await deleteCheckGroup(db, id)
  })
}
