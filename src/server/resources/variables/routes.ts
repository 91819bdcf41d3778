import { Type } from 'typebox'
import { pageQuery } from '../../../contract/paging.ts'
import { VariableCreate, VariableUpdate } from '../../../contract/resources/variable.ts'
import { Text } from '../../../contract/schema.ts'
import { Variable } from '../../../contract/variable.ts'
import { findVariable, listVariables } from '../../../storage/variables.ts'
import { notFound } from '../../http/api-error.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf } from '../../http/authentication.ts'
import { pageOf, setContentRange } from '../../http/paging.ts'
import { createVariable, removeVariable, replaceVariable, type VariableOptions } from './store-variable.ts'
import { toResource } from './to-resource.ts'

const tags = ['Environment variables']
const ByKey = Type.Object({ key: Text() })

/** Variables of the account: every check has them, under its own and its group's (semantics §6). */
export function variableRoutes(app: App, options: VariableOptions): void {
  const db = options.database.kysely

  app.get(
    '/v1/variables',
    { schema: { tags, querystring: Type.Object(pageQuery), response: { 200: Type.Array(Variable) } } },
    async (request, reply) => {
      const page = pageOf(request.query)
      const { rows, total } = await listVariables(db, accountOf(request), page)
      setContentRange(reply, page.offset, rows.length, total)
      return rows.map(toResource)
    },
  )

  app.post(
    '/v1/variables',
    { schema: { tags, body: VariableCreate, response: { 201: Variable } } },
    async (request, reply) => {
      const row = await createVariable(options, accountOf(request), request.body)
      return reply.code(201).send(toResource(row))
    },
  )

  app.get(
    '/v1/variables/:key',
    { schema: { tags, params: ByKey, response: { 200: Variable } } },
    async (request) => {
      const row = await findVariable(db, accountOf(request), request.params.key)
      if (!row) throw notFound('variable')
      return toResource(row)
    },
  )

  app.put(
    '/v1/variables/:key',
    { schema: { tags, params: ByKey, body: VariableUpdate, response: { 200: Variable } } },
    async (request) =>
      toResource(await replaceVariable(options, accountOf(request), request.params.key, request.body)),
  )

  app.delete(
    '/v1/variables/:key',
    { schema: { tags, params: ByKey, response: { 204: Type.Null() } } },
    async (request, reply) => {
      await removeVariable(options, accountOf(request), request.params.key)
      return reply.code(204).send(null)
    },
  )
}
