import type { Kysely } from 'kysely'
import { batchesOf } from './batches.ts'
import { nextNumbers } from './counters.ts'
import type { Schema } from './schema.ts'

export type SubscriptionRow = Schema['alertChannelSubscriptions']
/** Which of a subscription's ends is meant: its channel, or the check or group that it tells of. */
export type SubscriptionEnd = 'channelId' | 'checkId' | 'groupId'
export type WantedSubscription = Pick<SubscriptionRow, SubscriptionEnd | 'activated'>

const counter = 'alert-channel-subscription'

/** Of all these channels, checks or groups; those of one are in its order. */
export async function subscriptionsOf(
  db: Kysely<Schema>,
  end: SubscriptionEnd,
  ids: readonly (string | number)[],
): Promise<SubscriptionRow[]> {
  const order = end === 'channelId' ? 'channelPosition' : 'position'
  const rows: SubscriptionRow[] = []
  for (const batch of batchesOf(ids)) {
    const query = db.selectFrom('alertChannelSubscriptions').selectAll().where(end, 'in', batch)
    rows.push(...(await query.orderBy(order).orderBy('id').execute()))
  }
  return rows
}

export async function countSubscriptionsOfChannels(
  db: Kysely<Schema>,
  channelIds: readonly number[],
): Promise<number> {
  let count = 0
  for (const batch of batchesOf(channelIds)) {
    const { total } = await db
      .selectFrom('alertChannelSubscriptions')
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .where('channelId', 'in', batch)
      .executeTakeFirstOrThrow()
    count += total
  }
  return count
}

const endsOf = ({ channelId, checkId, groupId }: WantedSubscription) => `${channelId} ${checkId} ${groupId}`

/**
 * Gives one channel, check or group these subscriptions in this order, in the place of those it has. One that it has
 * already keeps its id and its place among those of its other end. Belongs under the account's lock.
 */
export async function replaceSubscriptions(
  db: Kysely<Schema>,
  end: SubscriptionEnd,
  id: string | number,
  wanted: readonly WantedSubscription[],
): Promise<void> {
  const stored = new Map((await subscriptionsOf(db, end, [id])).map((row) => [endsOf(row), row]))
  const fresh = wanted.filter((subscription) => !stored.has(endsOf(subscription)))
  const ids = await nextNumbers(db, counter, fresh.length)
  const idOf = new Map(fresh.map((subscription, index) => [endsOf(subscription), ids[index] ?? 0]))
  const rows = wanted.map((subscription, index) => {
    const row = stored.get(endsOf(subscription)) ?? lastRow(subscription, idOf.get(endsOf(subscription)) ?? 0)
    return { ...row, ...subscription, [end === 'channelId' ? 'channelPosition' : 'position']: index }
  })
  await db.deleteFrom('alertChannelSubscriptions').where(end, '=', id).execute()
  for (const batch of batchesOf(rows))
    await db.insertInto('alertChannelSubscriptions').values(batch).execute()
}

/** Behind all others of both its ends: an id is larger than any place that a list gave out before. */
const lastRow = (subscription: WantedSubscription, id: number): SubscriptionRow => ({
  ...subscription,
  id,
  position: id,
  channelPosition: id,
})

/** Subscribes a check or group to a channel, or changes whether the subscription is active. */
export async function putSubscription(
  db: Kysely<Schema>,
  wanted: WantedSubscription,
): Promise<SubscriptionRow> {
  const { channelId, checkId, groupId, activated } = wanted
  const changed = await db
    .updateTable('alertChannelSubscriptions')
    .set({ activated })
    .where('channelId', '=', channelId)
    .where('checkId', 'is not distinct from', checkId)
    .where('groupId', 'is not distinct from', groupId)
    .returningAll()
    .executeTakeFirst()
  if (changed) return changed
  const [id = 0] = await nextNumbers(db, counter, 1)
  const row = lastRow(wanted, id)
  await db.insertInto('alertChannelSubscriptions').values(row).execute()
  return row
}

export async function deleteSubscriptionsOfChannel(db: Kysely<Schema>, channelId: number): Promise<void> {
  await db.deleteFrom('alertChannelSubscriptions').where('channelId', '=', channelId).execute()
}

/** Those of `ids` that are checks of the account. */
export async function existingCheckIds(
  db: Kysely<Schema>,
  accountId: string,
  ids: readonly string[],
): Promise<string[]> {
  const found: string[] = []
  for (const batch of batchesOf(ids)) {
    const query = db.selectFrom('checks').select('id').where('accountId', '=', accountId)
    found.push(...(await query.where('id', 'in', batch).execute()).map(({ id }) => id))
  }
  return found
}

/** Those of `ids` that are check groups of the account. */
export async function existingGroupIds(
  db: Kysely<Schema>,
  accountId: string,
  ids: readonly number[],
): Promise<number[]> {
  const found: number[] = []
  for (const batch of batchesOf(ids)) {
    const query = db.selectFrom('checkGroups').select('id').where('accountId', '=', accountId)
    found.push(...(await query.where('id', 'in', batch).execute()).map(({ id }) => id))
  }
  return found
}
