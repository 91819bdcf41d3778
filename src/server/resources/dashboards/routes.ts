import { Type } from 'typebox'
import { pageQuery } from '../../../contract/paging.ts'
import { Dashboard, DashboardBody } from '../../../contract/resources/dashboard.ts'
import { OneOf, Text } from '../../../contract/schema.ts'
import { notFound } from '../../http/api-error.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf } from '../../http/authentication.ts'
import { pageOf, setContentRange } from '../../http/paging.ts'
import { freshViewKey, viewKeysFor } from '../../secrets/view-keys.ts'
import type { Stored } from '../../stored/collection.ts'
import {
  type DashboardDefinition,
  type DashboardOptions,
  dashboardCollection,
  keyOf,
  newDashboardId,
  toResource,
} from './dashboard-collection.ts'

const tags = ['Dashboards']
const params = Type.Object({ dashboardId: Text() })
const path = '/v1/dashboards'
const one = `${path}/:dashboardId`
const keyPrefix = 'da_'
/** What the path holds in the place of the dashboard's id. */
const typeQuery = Type.Object({ type: Type.Optional(OneOf(['customUrl', 'customDomain'])) })

export function dashboardRoutes(app: App, options: DashboardOptions): void {
  const dashboards = dashboardCollection(options)

  /** @throws ApiError 404, for another account's too */
  async function load(accountId: string, key: string): Promise<Stored<DashboardDefinition>> {
    const stored = await dashboards.findByKey(key)
    if (stored.accountId !== accountId) throw notFound('dashboard')
    return stored
  }

  app.get(
    path,
    { schema: { tags, querystring: Type.Object(pageQuery), response: { 200: Type.Array(Dashboard) } } },
    async (request, reply) => {
      const page = pageOf(request.query)
      const { rows, total } = await dashboards.list(accountOf(request), page)
      setContentRange(reply, page.offset, rows.length, total)
      return rows.map((row) => toResource(row))
    },
  )

  app.post(
    path,
    { schema: { tags, body: DashboardBody, response: { 201: Dashboard } } },
    async (request, reply) => {
      const { body } = request
      const fresh = freshViewKey(keyPrefix, options.clock.now())
      const stored = await dashboards.create(accountOf(request), {
        dashboardId: newDashboardId(),
        body,
        keys: viewKeysFor(body.isPrivate, [], fresh.key),
      })
      return reply.code(201).send(toResource(stored, fresh))
    },
  )

  app.get(
    one,
    { schema: { tags, params, querystring: typeQuery, response: { 200: Dashboard } } },
    async (request) => {
      const key = keyOf[request.query.type ?? 'dashboardId'](request.params.dashboardId)
      return toResource(await load(accountOf(request), key))
    },
  )

  app.put(
    one,
    { schema: { tags, params, body: DashboardBody, response: { 200: Dashboard } } },
    async (request) => {
      const { body } = request
      const accountId = accountOf(request)
      const { id } = await load(accountId, keyOf.dashboardId(request.params.dashboardId))
      const fresh = freshViewKey(keyPrefix, options.clock.now())
      const stored = await dashboards.change(accountId, id, ({ definition }) => ({
        ...definition,
        body,
        keys: viewKeysFor(body.isPrivate, definition.keys, fresh.key),
      }))
      return toResource(stored, fresh)
    },
  )

  app.delete(one, { schema: { tags, params, response: { 204: Type.Null() } } }, async (request, reply) => {
    const accountId = accountOf(request)
    const { id } = await load(accountId, keyOf.dashboardId(request.params.dashboardId))
    await dashboards.remove(accountId, id)
    return reply.code(204).send(null)
  })
}
