import { Type } from 'typebox'
import { CursorList, cursorQuery } from '../../../contract/cursor-list.ts'
import { StatusPageService, StatusPageServiceBody } from '../../../contract/resources/status-page-service.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf } from '../../http/authentication.ts'
import { actionsOf, itemRoutes } from '../../http/crud-routes.ts'
import { cursorList, readCursorPart } from '../../http/cursor-list.ts'
import { cursorOf, readBehind } from './cursor.ts'
import { tags } from './options.ts'
import type { ServiceCollection } from './service-collection.ts'
import { serviceResource } from './services.ts'

const path = '/v1/status-pages/services'

const ListQuery = Type.Object({
  ...cursorQuery,
  paginated: Type.Boolean({ default: true, description: 'false: all of them at once' }),
})

export function serviceRoutes(app: App, services: ServiceCollection): void {
  app.get(
    path,
    { schema: { tags, querystring: ListQuery, response: { 200: CursorList(StatusPageService) } } },
    async (request) => {
      const accountId = accountOf(request)
      const part = request.query.paginated
        ? await readCursorPart(request.query, readBehind(services, accountId), cursorOf)
        : { rows: await services.all(accountId), nextId: null }
      return cursorList(part, serviceResource)
    },
  )

  itemRoutes(app, {
    path,
    tags,
    ids: 'text',
    idName: 'serviceId',
    schemas: { create: StatusPageServiceBody, update: StatusPageServiceBody, resource: StatusPageService },
    actions: actionsOf(services, serviceResource),
  })
}
