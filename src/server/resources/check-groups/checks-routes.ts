import { Type } from 'typebox'
import { pageQuery } from '../../../contract/paging.ts'
import { CheckGroupCheck } from '../../../contract/resources/check-group.ts'
import { Text } from '../../../contract/schema.ts'
import { findCheckGroup } from '../../../storage/check-groups.ts'
import { findCheck } from '../../../storage/checks.ts'
import { listChecksOfGroup } from '../../../storage/checks-of-group.ts'
import type { Schema } from '../../../storage/schema.ts'
import { found, notFound } from '../../http/api-error.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf } from '../../http/authentication.ts'
import { ByNumberId } from '../../http/crud-routes.ts'
import { pageOf, setContentRange } from '../../http/paging.ts'
import { checkTypeOf } from '../../stored/stored-check.ts'
import type { CheckGroupOptions } from './store-group.ts'

const tags = ['Check groups']

const toItem = (row: Schema['checks']) => ({ id: row.id, checkType: checkTypeOf(row) })

/** The checks that are in a group. */
export function checksOfGroupRoutes(app: App, { database }: CheckGroupOptions): void {
  const db = database.kysely

  app.get(
    '/v1/check-groups/:id/checks',
    {
      schema: {
        tags,
        params: ByNumberId,
        querystring: Type.Object(pageQuery),
        response: { 200: Type.Array(CheckGroupCheck) },
      },
    },
    async (request, reply) => {
      const group = found(await findCheckGroup(db, accountOf(request), request.params.id), 'check group')
      const page = pageOf(request.query)
      const { rows, total } = await listChecksOfGroup(db, group.id, page)
      setContentRange(reply, page.offset, rows.length, total)
      return rows.map(toItem)
    },
  )

  app.get(
    '/v1/check-groups/:groupId/checks/:checkId',
    {
      schema: {
        tags,
        params: Type.Object({ groupId: ByNumberId.properties.id, checkId: Text() }),
        response: { 200: CheckGroupCheck },
      },
    },
    async (request) => {
      const { groupId, checkId } = request.params
      const check = await findCheck(db, accountOf(request), checkId)
      if (check?.groupId !== groupId) throw notFound('check in this group')
      return toItem(check)
    },
  )
}
