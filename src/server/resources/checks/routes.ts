import { Type } from 'typebox'
import { ApiCheck, ApiCheckUpdate } from '../../../contract/checks/api/check.ts'
import { ApiCheckResource, AutoAssignAlertsQuery, CheckListQuery } from '../../../contract/resources/check.ts'
import { Text } from '../../../contract/schema.ts'
import { deleteCheck, findCheck, listChecks } from '../../../storage/checks.ts'
import { notFound } from '../../api-error.ts'
import type { App } from '../../app-type.ts'
import { accountOf } from '../../authentication.ts'
import { pageOf, setContentRange } from '../../paging.ts'
import { type CheckOptions, createCheck, replaceCheck } from './store-check.ts'
import { toResource } from './to-resource.ts'

const tags = ['Checks']
const ById = Type.Object({ id: Text() })

export function checkRoutes(app: App, options: CheckOptions): void {
  const db = options.database.kysely

  app.post(
    '/v1/checks/api',
    {
      schema: {
        tags,
        querystring: AutoAssignAlertsQuery,
        body: ApiCheck,
        response: { 201: ApiCheckResource },
      },
    },
    async (request, reply) => {
      const row = await createCheck(options, accountOf(request), request.body)
      return reply.code(201).send(toResource(row))
    },
  )

  app.put(
    '/v1/checks/api/:id',
    {
      schema: {
        tags,
        params: ById,
        querystring: AutoAssignAlertsQuery,
        body: ApiCheckUpdate,
        response: { 200: ApiCheckResource },
      },
    },
    async (request) =>
      toResource(await replaceCheck(options, accountOf(request), request.params.id, request.body)),
  )

  app.get(
    '/v1/checks',
    { schema: { tags, querystring: CheckListQuery, response: { 200: Type.Array(ApiCheckResource) } } },
    async (request, reply) => {
      const { checkType, tag, search, apiCheckUrlFilterPattern: urlPattern, status } = request.query
      const filter = {
        ...(checkType && { types: [checkType] }),
        ...(tag && { tags: tag }),
        ...(search && { search }),
        ...(urlPattern && { urlPattern }),
        ...(status && { status }),
      }
      const page = pageOf(request.query)
      const { rows, total } = await listChecks(db, accountOf(request), filter, page)
      setContentRange(reply, page.offset, rows.length, total)
      return rows.map(toResource)
    },
  )

  app.get(
    '/v1/checks/:id',
    { schema: { tags, params: ById, response: { 200: ApiCheckResource } } },
    async (request) => {
      const row = await findCheck(db, accountOf(request), request.params.id)
      if (!row) throw notFound('check')
      return toResource(row)
    },
  )

  app.delete(
    '/v1/checks/:id',
    { schema: { tags, params: ById, response: { 204: Type.Null() } } },
    async (request, reply) => {
      const deleted = await options.database.transaction((tx) =>
        deleteCheck(tx, accountOf(request), request.params.id),
      )
      if (!deleted) throw notFound('check')
      return reply.code(204).send(null)
    },
  )
}
