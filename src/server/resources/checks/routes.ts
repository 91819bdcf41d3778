import { Type } from 'typebox'
import { CheckTypeName } from '../../../contract/check-types.ts'
import {
  ApplyGroupSettingsQuery,
  AutoAssignAlertsQuery,
  CheckListQuery,
  CheckResource,
} from '../../../contract/resources/check.ts'
import { Text } from '../../../contract/schema.ts'
import { validator } from '../../../lib/validate.ts'
import { findCheck, listChecks } from '../../../storage/checks.ts'
import { found, inputInvalid } from '../../http/api-error.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf } from '../../http/authentication.ts'
import { pageOf, setContentRange } from '../../http/paging.ts'
import { readCheck, readCheckUpdate } from './read-check.ts'
import { scriptedBodyBytes } from './scripted-types.ts'
import { sendChecks } from './serialize-checks.ts'
import { type CheckOptions, createCheck, removeCheck, replaceCheck } from './store-check.ts'
import { toResource, toResources } from './to-resource.ts'
import { typedCheckRoutes } from './typed-routes.ts'

const tags = ['Checks']
const ById = Type.Object({ id: Text() })

const AnyBody = Type.Record(Type.String(), Type.Unknown(), {
  description: 'as the operation of its checkType takes it',
})
const readType = validator(Type.Object({ checkType: CheckTypeName }))

/** @throws ApiError 400 */
function typeOf(body: unknown): CheckTypeName {
  const read = readType(body)
  if (read.kind === 'invalid') throw inputInvalid(read.faults)
  return read.value.checkType
}

/** Checks of every type: those that have operations of their own for it are in typed-routes. */
export function checkRoutes(app: App, options: CheckOptions & { readonly publicOrigin: () => string }): void {
  const db = options.database.kysely
  const { sealer, publicOrigin } = options
  const sources = { db, sealer, publicOrigin }
  typedCheckRoutes(app, options, sources)

  app.post(
    '/v1/checks',
    {
      bodyLimit: scriptedBodyBytes,
      schema: {
        tags,
        querystring: AutoAssignAlertsQuery,
        body: AnyBody,
        response: { 201: CheckResource },
      },
    },
    async (request, reply) => {
      const { autoAssignAlerts: autoAssign } = request.query
      const typed = readCheck(typeOf(request.body), request.body)
      const row = await createCheck(options, accountOf(request), typed, { autoAssign })
      return sendChecks(reply, await toResource(sources, row), 201)
    },
  )

  app.put(
    '/v1/checks/:id',
    {
      bodyLimit: scriptedBodyBytes,
      schema: {
        tags,
        params: ById,
        querystring: AutoAssignAlertsQuery,
        body: AnyBody,
        response: { 200: CheckResource },
      },
    },
    async (request, reply) => {
      const { autoAssignAlerts: autoAssign } = request.query
      const body = (type: CheckTypeName) => readCheckUpdate(type, request.body)
      const update = { type: null, body, autoAssign }
      const row = await replaceCheck(options, accountOf(request), request.params.id, update)
      return sendChecks(reply, await toResource(sources, row))
    },
  )

  app.get(
    '/v1/checks',
    { schema: { tags, querystring: CheckListQuery, response: { 200: Type.Array(CheckResource) } } },
    async (request, reply) => {
      const { applyGroupSettings, checkType, tag, search, apiCheckUrlFilterPattern, status } = request.query
      const filter = {
        ...(checkType && { types: [checkType] }),
        ...(tag && { tags: tag }),
        ...(search && { search }),
        ...(apiCheckUrlFilterPattern && { urlPattern: apiCheckUrlFilterPattern }),
        ...(status && { status }),
      }
      const page = pageOf(request.query)
      const { rows, total } = await listChecks(db, accountOf(request), filter, page)
      setContentRange(reply, page.offset, rows.length, total)
      return sendChecks(reply, await toResources(sources, rows, applyGroupSettings))
    },
  )

  app.get(
    '/v1/checks/:id',
    {
      schema: {
        tags,
        params: ById,
        querystring: ApplyGroupSettingsQuery,
        response: { 200: CheckResource },
      },
    },
    async (request, reply) => {
      const row = found(await findCheck(db, accountOf(request), request.params.id), 'check')
      const resource = await toResource(sources, row, request.query.applyGroupSettings)
      return sendChecks(reply, resource)
    },
  )

  app.delete(
    '/v1/checks/:id',
    { schema: { tags, params: ById, response: { 204: Type.Null() } } },
    async (request, reply) => {
      await removeCheck(options, accountOf(request), request.params.id)
      return reply.code(204).send(null)
    },
  )
}
