import type { Kysely } from 'kysely'
import { newKey } from '../../../lib/ids.ts'
import { lockAccount } from '../../../storage/accounts.ts'
import { findCheckGroup } from '../../../storage/check-groups.ts'
import { findCheck } from '../../../storage/checks.ts'
import { nextNumber } from '../../../storage/counters.ts'
import type { Schema } from '../../../storage/schema.ts'
import { deleteTrigger, findTrigger, insertTrigger, type TriggerTarget } from '../../../storage/triggers.ts'
import { found } from '../../http/api-error.ts'
import type { OnDemandOptions } from '../../on-demand/on-demand.ts'

type TriggerRow = Schema['triggers']

async function assertTarget(db: Kysely<Schema>, accountId: string, target: TriggerTarget): Promise<void> {
  if ('checkId' in target) found(await findCheck(db, accountId, target.checkId), 'check')
  else found(await findCheckGroup(db, accountId, target.groupId), 'check group')
}

/** What has a trigger keeps it: its URL may be in use. @throws ApiError 404 */
export function createTrigger(
  { database, clock }: OnDemandOptions,
  accountId: string,
  target: TriggerTarget,
): Promise<TriggerRow> {
  return database.transaction(async (db) => {
    await lockAccount(db, accountId)
    await assertTarget(db, accountId, target)
    const known = await findTrigger(db, accountId, target)
    if (known) return known
    const row: TriggerRow = {
      id: await nextNumber(db, 'trigger'),
      accountId,
      checkId: null,
      groupId: null,
      ...target,
      token: newKey(''),
      createdAt: clock.now(),
      calledAt: null,
      updatedAt: null,
    }
    await insertTrigger(db, row)
    return row
  })
}

/** @throws ApiError 404 */
export async function readTrigger(
  { database }: OnDemandOptions,
  accountId: string,
  target: TriggerTarget,
): Promise<TriggerRow> {
  return found(await findTrigger(database.kysely, accountId, target), 'trigger')
}

/** From then on its URL runs nothing. @throws ApiError 404 */
export function removeTrigger(
  { database }: OnDemandOptions,
  accountId: string,
  target: TriggerTarget,
): Promise<void> {
  return database.transaction(async (db) => {
    await lockAccount(db, accountId)
    await deleteTrigger(db, found(await findTrigger(db, accountId, target), 'trigger').id)
  })
}
