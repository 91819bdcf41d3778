import type { Kysely } from 'kysely'
import type { ChannelSubscriptionBody } from '../../../contract/resources/alert-subscription.ts'
import type { Fault } from '../../../lib/find-faults.ts'
import { existingCheckIds, existingGroupIds } from '../../../storage/alert-subscriptions.ts'
import type { Schema } from '../../../storage/schema.ts'

const isOf = (value: string | number | null) => value !== null && value !== '' && value !== 0

/** Some clients send an empty id for the end that a subscription does not have. */
export function oneEnd({ checkId, groupId, activated }: ChannelSubscriptionBody): ChannelSubscriptionBody {
  return { checkId: isOf(checkId) ? checkId : null, groupId: isOf(groupId) ? groupId : null, activated }
}

/**
 * `at` is the path of one: `subscriptions[0].`. Belongs under the account's lock: what was found is not deleted before
 * the transaction ends.
 */
export async function subscriptionFaults(
  db: Kysely<Schema>,
  accountId: string,
  subscriptions: readonly ChannelSubscriptionBody[],
  at: (index: number) => string,
): Promise<Fault[]> {
  const checkIds = subscriptions.flatMap(({ checkId }) => (checkId === null ? [] : [checkId]))
  const groupIds = subscriptions.flatMap(({ groupId }) => (groupId === null ? [] : [groupId]))
  const checks = new Set(await existingCheckIds(db, accountId, checkIds))
  const groups = new Set(await existingGroupIds(db, accountId, groupIds))
  const seen = new Set<string>()
  return subscriptions.flatMap((subscription, index): Fault[] => {
    const { checkId, groupId } = subscription
    if ((checkId === null) === (groupId === null)) return [endsFault(at(index))]
    const end = JSON.stringify([checkId, groupId])
    const again = seen.has(end)
    seen.add(end)
    if (checkId !== null) return endFault(`${at(index)}checkId`, 'check', checkId, checks.has(checkId), again)
    return endFault(`${at(index)}groupId`, 'check group', groupId ?? 0, groups.has(groupId ?? 0), again)
  })
}

const endsFault = (at: string): Fault => ({
  path: `${at}checkId`,
  text: `"${at}checkId" or "${at}groupId" must be given, and not both`,
})

function endFault(path: string, what: string, id: string | number, exists: boolean, again: boolean): Fault[] {
  const named = `"${path}" names ${JSON.stringify(id)}`
  if (!exists) return [{ path, text: `${named}, which is the id of no ${what} of this account` }]
  return again ? [{ path, text: `${named} again: a ${what} may be there once` }] : []
}
