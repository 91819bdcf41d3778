import { Type } from 'typebox'
import { MaintenanceWindow, MaintenanceWindowBody } from '../../../contract/resources/maintenance-window.ts'
import { maintenanceWindowFaults } from '../../../rules/maintenance-window.ts'
import { inputInvalid } from '../../http/api-error.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf } from '../../http/authentication.ts'
import { ByNumberId } from '../../http/crud-routes.ts'
import { maintenanceWindowListRoute } from './list-route.ts'
import {
  type MaintenanceWindowOptions,
  replanFor,
  toResource,
  windowCollection,
} from './window-collection.ts'

const tags = ['Maintenance windows']
const path = '/v1/maintenance-windows'
const one = `${path}/:id`

function checked(window: MaintenanceWindowBody): MaintenanceWindowBody {
  const faults = maintenanceWindowFaults(window)
  if (faults.length > 0) throw inputInvalid(faults)
  return window
}

export function maintenanceWindowRoutes(app: App, options: MaintenanceWindowOptions): void {
  const windows = windowCollection(options)
  const replan = replanFor(options)
  maintenanceWindowListRoute(app, options)

  app.post(
    path,
    { schema: { tags, body: MaintenanceWindowBody, response: { 201: MaintenanceWindow } } },
    async (request, reply) => {
      const definition = checked(request.body)
      const stored = await windows.createWith(accountOf(request), () => ({ definition }), replan)
      return reply.code(201).send(toResource(stored))
    },
  )

  app.get(
    one,
    { schema: { tags, params: ByNumberId, response: { 200: MaintenanceWindow } } },
    async (request) => toResource(await windows.find(accountOf(request), String(request.params.id))),
  )

  app.put(
    one,
    {
      schema: { tags, params: ByNumberId, body: MaintenanceWindowBody, response: { 200: MaintenanceWindow } },
    },
    async (request) => {
      const definition = checked(request.body)
      const id = String(request.params.id)
      return toResource(await windows.change(accountOf(request), id, () => definition, replan))
    },
  )

  app.delete(
    one,
    { schema: { tags, params: ByNumberId, response: { 204: Type.Null() } } },
    async (request, reply) => {
      await windows.remove(accountOf(request), String(request.params.id))
      return reply.code(204).send(null)
    },
  )
}
