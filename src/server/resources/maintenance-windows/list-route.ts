import { Type } from 'typebox'
import { pageQuery } from '../../../contract/paging.ts'
import { MaintenanceWindow, MaintenanceWindowFilter } from '../../../contract/resources/maintenance-window.ts'
import { isBetween } from '../../../rules/maintenance-window.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf } from '../../http/authentication.ts'
import { pageOf, setContentRange } from '../../http/paging.ts'
import { foldQuery } from './fold-bounds.ts'
import { type MaintenanceWindowOptions, toResource, windowCollection } from './window-collection.ts'

const querystring = Type.Object({ ...pageQuery, ...MaintenanceWindowFilter.properties })

/** Newest first. An account's windows are few: what the filters leave is counted here, not by the database. */
export function maintenanceWindowListRoute(app: App, options: MaintenanceWindowOptions): void {
  const windows = windowCollection(options)
  app.get(
    '/v1/maintenance-windows',
    {
      preValidation: foldQuery,
      schema: {
        tags: ['Maintenance windows'],
        querystring,
        response: { 200: Type.Array(MaintenanceWindow) },
      },
    },
    async (request, reply) => {
      const { offset, limit } = pageOf(request.query)
      const all = await windows.all(accountOf(request))
      const matching = all.filter(({ definition }) => isBetween(definition, request.query))
      const rows = matching.slice(offset, offset + limit)
      setContentRange(reply, offset, rows.length, matching.length)
      return rows.map(toResource)
    },
  )
}
