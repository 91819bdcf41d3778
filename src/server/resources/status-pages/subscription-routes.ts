import { Type } from 'typebox'
import {
  StatusPageSubscription,
  StatusPageSubscriptionBulk,
  StatusPageSubscriptionCounts,
} from '../../../contract/resources/status-page-subscription.ts'
import { Text } from '../../../contract/schema.ts'
import { notFound } from '../../http/api-error.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf } from '../../http/authentication.ts'
import type { StatusPageOptions } from './options.ts'
import type { PageCollection } from './page-collection.ts'
import {
  assertMailAddresses,
  type SubscriptionCollection,
  subscribe,
  subscriptionResource,
} from './subscribe.ts'

const tags = ['Status pages', 'Subscriptions']
const path = '/v1/status-pages/:statusPageId/subscriptions'
const ByPage = Type.Object({ statusPageId: Text() })
const BySubscription = Type.Object({ statusPageId: Text(), subscriptionId: Text() })

interface SubscriptionOptions extends StatusPageOptions {
  readonly pages: PageCollection
  readonly subscriptions: SubscriptionCollection
}

export function subscriptionRoutes(
  app: App,
  { pages, subscriptions, database, clock }: SubscriptionOptions,
): void {
  app.get(
    path,
    { schema: { tags, params: ByPage, response: { 200: Type.Array(StatusPageSubscription) } } },
    async (request) => {
      const accountId = accountOf(request)
      const page = await pages.find(accountId, request.params.statusPageId)
      return (await subscriptions.all(accountId, page.id)).map(subscriptionResource)
    },
  )

  app.post(
    `${path}/bulk`,
    {
      schema: {
        tags,
        params: ByPage,
        body: StatusPageSubscriptionBulk,
        response: { 201: StatusPageSubscriptionCounts },
      },
    },
    async (request, reply) => {
      const addresses = request.body.subscriptions.map(({ config }) => config)
      assertMailAddresses(addresses)
      const { statusPageId } = request.params
      const counts = await subscribe({ database, clock }, accountOf(request), statusPageId, addresses)
      return reply.code(201).send(counts)
    },
  )

  app.delete(
    `${path}/:subscriptionId`,
    { schema: { tags, params: BySubscription, response: { 204: Type.Null() } } },
    async (request, reply) => {
      const accountId = accountOf(request)
      const { statusPageId, subscriptionId } = request.params
      const { parentId } = await subscriptions.find(accountId, subscriptionId)
      if (parentId !== statusPageId) throw notFound('subscription')
      await subscriptions.remove(accountId, subscriptionId)
      return reply.code(204).send(null)
    },
  )
}
