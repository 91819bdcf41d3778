import type { Kysely } from 'kysely'
import type { AlertChannelSubscription } from '../../contract/resources/alert-subscription.ts'
import {
  replaceSubscriptions,
  type SubscriptionRow,
  subscriptionsOf,
  type WantedSubscription,
} from '../../storage/alert-subscriptions.ts'
import { listAllDocuments } from '../../storage/documents.ts'
import type { Schema } from '../../storage/schema.ts'
import { flagOf } from '../../storage/tables/flag.ts'
import { inputInvalid } from '../http/api-error.ts'
import type { StoredChannel } from './alert-channels.ts'

/** What alert channels tell of. */
export type Subscriber = { readonly checkId: string } | { readonly groupId: number }

export interface WantedAlerts {
  /** As sent; undefined when it was left out. Its channels exist (referenceFaults). */
  readonly subscriptions: readonly AlertChannelSubscription[] | undefined
  readonly autoAssign: boolean
}

/**
 * Gives a check or group that was just written the subscriptions that were sent for it, in their order; where none were
 * sent, `autoAssignAlerts` subscribes it to the channels that ask for that (autoSubscribe). Belongs in the transaction
 * that writes it, under the account's lock. @throws ApiError 400 for a channel that is named twice
 */
export async function assignAlerts(
  db: Kysely<Schema>,
  accountId: string,
  subscriber: Subscriber,
  { subscriptions, autoAssign }: WantedAlerts,
): Promise<void> {
  if (subscriptions) assertNoneTwice(subscriptions)
  const wanted = subscriptions ?? (autoAssign ? await autoSubscriptions(db, accountId) : [])
  const rows = wanted.map(
    ({ alertChannelId, activated }): WantedSubscription => ({
      checkId: null,
      groupId: null,
      ...subscriber,
      channelId: alertChannelId,
      activated: flagOf(activated),
    }),
  )
  if ('checkId' in subscriber) await replaceSubscriptions(db, 'checkId', subscriber.checkId, rows)
  else await replaceSubscriptions(db, 'groupId', subscriber.groupId, rows)
}

function assertNoneTwice(subscriptions: readonly AlertChannelSubscription[]): void {
  const ids = subscriptions.map(({ alertChannelId }) => alertChannelId)
  const twice = ids.findIndex((id, index) => ids.indexOf(id) !== index)
  if (twice === -1) return
  const path = `alertChannelSubscriptions[${twice}].alertChannelId`
  throw inputInvalid([
    { path, text: `"${path}" names the alert channel ${ids[twice]} again: it may be there once` },
  ])
}

/** Oldest channel first. */
async function autoSubscriptions(db: Kysely<Schema>, accountId: string): Promise<AlertChannelSubscription[]> {
  const channels = await listAllDocuments(db, { kind: 'alert-channel', accountId })
  return channels
    .filter(({ definition }) => (JSON.parse(definition) as StoredChannel).autoSubscribe)
    .map(({ id }) => ({ alertChannelId: Number(id), activated: true }))
    .sort((a, b) => a.alertChannelId - b.alertChannelId)
}

export function toSent({ channelId, activated }: SubscriptionRow): AlertChannelSubscription {
  return { alertChannelId: channelId, activated: activated === 1 }
}

/** Finds the `alertChannelSubscriptions` of each of these groups, in the order in which they were sent. */
export async function subscriptionsOfGroups(
  db: Kysely<Schema>,
  groupIds: readonly number[],
): Promise<(groupId: number) => AlertChannelSubscription[]> {
  const rows = await subscriptionsOf(db, 'groupId', groupIds)
  const ofGroup = Map.groupBy(rows, ({ groupId }) => groupId)
  return (groupId) => (ofGroup.get(groupId) ?? []).map(toSent)
}
