import type { Kysely } from 'kysely'
import type { AlertChannelBody } from '../../../contract/resources/alert-channel.ts'
import type { ChannelSubscriptionBody } from '../../../contract/resources/alert-subscription.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Sealer } from '../../../lib/sealing.ts'
import { lockAccount } from '../../../storage/accounts.ts'
import {
  deleteSubscriptionsOfChannel,
  putSubscription,
  replaceSubscriptions,
  type SubscriptionRow,
} from '../../../storage/alert-subscriptions.ts'
import type { Database } from '../../../storage/database.ts'
import { findDocument } from '../../../storage/documents.ts'
import type { Schema } from '../../../storage/schema.ts'
import {
  openChannel,
  type StoredChannel,
  sealConfig,
  withStoredCredential,
} from '../../alerts/alert-channels.ts'
import { found, inputInvalid } from '../../http/api-error.ts'
import { Collection, type Stored } from '../../stored/collection.ts'
import { channelFaults } from './channel-faults.ts'
import { oneEnd, subscriptionFaults } from './subscription-faults.ts'

export interface ChannelOptions {
  readonly database: Database
  readonly clock: Clock
  readonly sealer: Sealer
}

const kind = 'alert-channel'

export const channelCollection = (options: ChannelOptions): Collection<StoredChannel> =>
  new Collection(options, {
    kind,
    what: 'alert channel',
    ids: 'number',
    most: 1000,
    onRemove: (db, { id }) => deleteSubscriptionsOfChannel(db, Number(id)),
  })

/** @throws ApiError 400 naming every fault */
function toStored(
  sealer: Sealer,
  id: string,
  { config, subscriptions: _subscriptions, ...settings }: AlertChannelBody,
  previous?: StoredChannel,
): StoredChannel {
  const { type } = settings
  const stored = previous ? openChannel(sealer, id, previous) : null
  const merged = withStoredCredential(type, config, stored)
  const faults = channelFaults(type, merged)
  if (faults.length > 0) throw inputInvalid(faults)
  return { ...settings, config: sealConfig(sealer, id, merged) }
}

/** Writes the subscriptions of a channel that was just written, where any were sent. @throws ApiError 400 */
const withSubscriptions =
  (subscriptions: AlertChannelBody['subscriptions']) =>
  async (db: Kysely<Schema>, { id, accountId }: Stored<StoredChannel>): Promise<void> => {
    if (!subscriptions) return
    const wanted = subscriptions.map(oneEnd)
    const faults = await subscriptionFaults(db, accountId, wanted, (index) => `subscriptions[${index}].`)
    if (faults.length > 0) throw inputInvalid(faults)
    await replaceSubscriptions(
      db,
      'channelId',
      Number(id),
      wanted.map((subscription) => toRow(id, subscription)),
    )
  }

const toRow = (channelId: string, { activated, ...end }: ChannelSubscriptionBody) => ({
  ...end,
  channelId: Number(channelId),
  activated: activated ? (1 as const) : (0 as const),
})

/** @throws ApiError 400 naming every fault, 409 when the account has its fill of channels */
export function createChannel(
  options: ChannelOptions,
  accountId: string,
  body: AlertChannelBody,
): Promise<Stored<StoredChannel>> {
  const make = (id: string) => ({ definition: toStored(options.sealer, id, body) })
  return channelCollection(options).createWith(accountId, make, withSubscriptions(body.subscriptions))
}

/** Subscriptions that are left out stay: they are the checks' and groups' too. @throws ApiError 400, 404 */
export function replaceChannel(
  options: ChannelOptions,
  accountId: string,
  id: string,
  body: AlertChannelBody,
): Promise<Stored<StoredChannel>> {
  const change = ({ definition }: Stored<StoredChannel>) => toStored(options.sealer, id, body, definition)
  return channelCollection(options).change(accountId, id, change, withSubscriptions(body.subscriptions))
}

/** Subscribes one check or group, or changes whether it is told. @throws ApiError 400, 404 */
export function subscribe(
  { database }: ChannelOptions,
  accountId: string,
  id: string,
  body: ChannelSubscriptionBody,
): Promise<SubscriptionRow> {
  return database.transaction(async (db) => {
    await lockAccount(db, accountId)
    found(await findDocument(db, { kind, accountId }, id), 'alert channel')
    const wanted = oneEnd(body)
    const faults = await subscriptionFaults(db, accountId, [wanted], () => '')
    if (faults.length > 0) throw inputInvalid(faults)
    return putSubscription(db, toRow(id, wanted))
  })
}
