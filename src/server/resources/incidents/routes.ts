import { Type } from 'typebox'
import { Incident, IncidentBare, IncidentBody, IncidentCreate } from '../../../contract/resources/incident.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf } from '../../http/authentication.ts'
import { ByTextId } from '../../http/crud-routes.ts'
import { type IncidentOptions, incidentCollection, newUpdate } from './incident-collection.ts'
import { bareResource, incidentResource } from './to-resource.ts'
import { incidentUpdateRoutes } from './update-routes.ts'

const tags = ['Incidents']
const path = '/v1/incidents'
const one = `${path}/:id`
const querystring = Type.Object({ includeAllIncidentUpdates: Type.Boolean({ default: false }) })

export function incidentRoutes(app: App, options: IncidentOptions): void {
  const incidents = incidentCollection(options)
  incidentUpdateRoutes(app, options)

  // 200, not 201: existing clients are answered so (semantics §2).
  app.post(path, { schema: { tags, body: IncidentCreate, response: { 200: Incident } } }, async (request) => {
    const { dashboardId, incidentUpdates, ...body } = request.body
    const now = options.clock.now()
    const updates = incidentUpdates.map((update) => newUpdate(update, now))
    const definition = { dashboardId, body, updates }
    return incidentResource(await incidents.create(accountOf(request), definition, String(dashboardId)))
  })

  app.get(
    one,
    { schema: { tags, params: ByTextId, querystring, response: { 200: Incident } } },
    async (request) => {
      const incident = incidentResource(await incidents.find(accountOf(request), request.params.id))
      if (request.query.includeAllIncidentUpdates) return incident
      return { ...incident, incidentUpdates: incident.incidentUpdates.slice(0, 1) }
    },
  )

  app.put(
    one,
    { schema: { tags, params: ByTextId, body: IncidentBody, response: { 200: IncidentBare } } },
    async (request) => {
      const { body } = request
      const stored = await incidents.change(accountOf(request), request.params.id, ({ definition }) => ({
        ...definition,
        body,
      }))
      return bareResource(stored)
    },
  )

  app.delete(
    one,
    { schema: { tags, params: ByTextId, response: { 204: Type.Null() } } },
    async (request, reply) => {
      await incidents.remove(accountOf(request), request.params.id)
      return reply.code(204).send(null)
    },
  )
}
