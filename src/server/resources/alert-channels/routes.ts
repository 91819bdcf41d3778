import { AlertChannel, AlertChannelBody } from '../../../contract/resources/alert-channel.ts'
import {
  ChannelSubscription,
  ChannelSubscriptionBody,
} from '../../../contract/resources/alert-subscription.ts'
import { countSubscriptionsOfChannels, subscriptionsOf } from '../../../storage/alert-subscriptions.ts'
import type { StoredChannel } from '../../alerts/alert-channels.ts'
import { inputInvalid } from '../../http/api-error.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf } from '../../http/authentication.ts'
import { ByNumberId, crudRoutes } from '../../http/crud-routes.ts'
import type { Stored } from '../../stored/collection.ts'
import {
  type ChannelOptions,
  channelCollection,
  createChannel,
  replaceChannel,
  subscribe,
} from './store-channel.ts'
import { toResource, toSubscription } from './to-resource.ts'

const tags = ['Alert channels']
const path = '/v1/alert-channels'
/** Ten thousand subscriptions come with it. */
const bodyLimitBytes = 2 * 1024 * 1024
/** In one list: a hundred channels can have a million. */
const mostSubscriptions = 250_000

const tooMuch = () => {
  const text = `"limit" asks for channels with more than ${mostSubscriptions} subscriptions: ask for fewer at a time`
  return inputInvalid([{ path: 'limit', text }], 'query')
}

export function alertChannelRoutes(app: App, options: ChannelOptions): void {
  const collection = channelCollection(options)

  async function tell(channels: readonly Stored<StoredChannel>[]): Promise<AlertChannel[]> {
    const ids = channels.map(({ id }) => Number(id))
    if ((await countSubscriptionsOfChannels(options.database.kysely, ids)) > mostSubscriptions)
      throw tooMuch()
    const rows = await subscriptionsOf(options.database.kysely, 'channelId', ids)
    const ofChannel = Map.groupBy(rows, ({ channelId }) => channelId)
    return channels.map((channel) =>
      toResource(options.sealer, channel, ofChannel.get(Number(channel.id)) ?? []),
    )
  }
  async function tellOne(channel: Stored<StoredChannel>): Promise<AlertChannel> {
    const rows = await subscriptionsOf(options.database.kysely, 'channelId', [Number(channel.id)])
    return toResource(options.sealer, channel, rows)
  }

  crudRoutes(app, {
    path,
    tags,
    ids: 'number',
    bodyLimitBytes,
    schemas: { create: AlertChannelBody, update: AlertChannelBody, resource: AlertChannel },
    actions: {
      list: async (accountId, page) => {
        const { rows, total } = await collection.list(accountId, page)
        return { rows: await tell(rows), total }
      },
      create: async (accountId, body) => tellOne(await createChannel(options, accountId, body)),
      find: async (accountId, id) => tellOne(await collection.find(accountId, id)),
      replace: async (accountId, id, body) => tellOne(await replaceChannel(options, accountId, id, body)),
      remove: (accountId, id) => collection.remove(accountId, id),
    },
  })

  app.put(
    `${path}/:id/subscriptions`,
    {
      schema: {
        tags,
        params: ByNumberId,
        body: ChannelSubscriptionBody,
        response: { 200: ChannelSubscription },
      },
    },
    async (request) =>
      toSubscription(await subscribe(options, accountOf(request), String(request.params.id), request.body)),
  )
}
