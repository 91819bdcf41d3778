import { Type } from 'typebox'
import { AutoAssignAlertsQuery } from '../../../contract/resources/check.ts'
import {
  CheckGroupBody,
  CheckGroupBodyV1,
  CheckGroupListQuery,
  CheckGroupResource,
  CheckGroupUpdateV1,
} from '../../../contract/resources/check-group.ts'
import { findCheckGroup, listCheckGroups } from '../../../storage/check-groups.ts'
import { found } from '../../http/api-error.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf } from '../../http/authentication.ts'
import { ByNumberId } from '../../http/crud-routes.ts'
import { pageOf, setContentRange } from '../../http/paging.ts'
import { type CheckGroupOptions, createGroup, removeGroup, replaceGroup } from './store-group.ts'
import { toResource, toResources } from './to-resource.ts'

const tags = ['Check groups']

/** Groups of the first kind go over their checks' settings always, those of the second where they say so (semantics §6). */
const kinds = [
  { version: 1, create: CheckGroupBodyV1, update: CheckGroupUpdateV1 },
  { version: 2, create: CheckGroupBody, update: CheckGroupBody },
] as const

export function checkGroupRoutes(app: App, options: CheckGroupOptions): void {
  const db = options.database.kysely
  const response = { 200: CheckGroupResource }
  for (const kind of kinds) writingRoutes(app, options, kind)

  app.get(
    '/v1/check-groups',
    {
      schema: { tags, querystring: CheckGroupListQuery, response: { 200: Type.Array(CheckGroupResource) } },
    },
    async (request, reply) => {
      const { tag, name } = request.query
      const page = pageOf(request.query)
      const filter = { ...(tag && { tags: tag }), ...(name && { names: name }) }
      const { rows, total } = await listCheckGroups(db, accountOf(request), filter, page)
      setContentRange(reply, page.offset, rows.length, total)
      return toResources(db, rows)
    },
  )

  app.get('/v1/check-groups/:id', { schema: { tags, params: ByNumberId, response } }, async (request) =>
    toResource(db, found(await findCheckGroup(db, accountOf(request), request.params.id), 'check group')),
  )

  app.delete(
    '/v1/check-groups/:id',
    { schema: { tags, params: ByNumberId, response: { 204: Type.Null() } } },
    async (request, reply) => {
      await removeGroup(options, accountOf(request), request.params.id)
      return reply.code(204).send(null)
    },
  )
}

/** Creates and updates groups of one kind. */
function writingRoutes(
  app: App,
  options: CheckGroupOptions,
  { version, create, update }: (typeof kinds)[number],
): void {
  const db = options.database.kysely
  const shared = { tags, querystring: AutoAssignAlertsQuery }

  app.post(
    `/v${version}/check-groups`,
    { schema: { ...shared, body: create, response: { 201: CheckGroupResource } } },
    async (request, reply) => {
      const { autoAssignAlerts } = request.query
      const group = { ...request.body, version }
      const row = await createGroup(options, accountOf(request), group, autoAssignAlerts)
      return reply.code(201).send(await toResource(db, row))
    },
  )

  app.put(
    `/v${version}/check-groups/:id`,
    { schema: { ...shared, params: ByNumberId, body: update, response: { 200: CheckGroupResource } } },
    async (request) => {
      const { autoAssignAlerts } = request.query
      const group = { ...request.body, version }
      const row = await replaceGroup(options, accountOf(request), request.params.id, group, autoAssignAlerts)
      return toResource(db, row)
    },
  )
}
