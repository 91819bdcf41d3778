import { Type } from 'typebox'
import {
  IncidentUpdate,
  IncidentUpdateBody,
  IncidentUpdateChange,
} from '../../../contract/resources/incident.ts'
import { Text } from '../../../contract/schema.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf } from '../../http/authentication.ts'
import {
  findUpdate,
  type IncidentOptions,
  incidentCollection,
  newUpdate,
  withDescription,
  withoutUpdate,
  withUpdate,
} from './incident-collection.ts'
import { updateResource, updateResources } from './to-resource.ts'

const tags = ['Incidents']
const path = '/v1/incidents/:incidentId/updates'
const one = `${path}/:id`
const ofIncident = Type.Object({ incidentId: Text() })
const params = Type.Object({ incidentId: Text(), id: Text() })

export function incidentUpdateRoutes(app: App, options: IncidentOptions): void {
  const incidents = incidentCollection(options)

  // 200 and all updates: existing clients are answered with a list (semantics §2).
  app.post(
    path,
    {
      schema: {
        tags,
        params: ofIncident,
        body: IncidentUpdateBody,
        response: { 200: Type.Array(IncidentUpdate, { description: 'newest first' }) },
      },
    },
    async (request) => {
      const update = newUpdate(request.body, options.clock.now())
      const { incidentId } = request.params
      return updateResources(
        await incidents.change(accountOf(request), incidentId, ({ definition }) =>
          withUpdate(definition, update),
        ),
      )
    },
  )

  app.put(
    one,
    { schema: { tags, params, body: IncidentUpdateChange, response: { 200: IncidentUpdate } } },
    async (request) => {
      const { id, incidentId } = request.params
      const { description } = request.body
      const now = options.clock.now()
      const { definition } = await incidents.change(accountOf(request), incidentId, (stored) =>
        withDescription(stored.definition, id, description, now),
      )
      return updateResource(incidentId, findUpdate(definition, id))
    },
  )

  app.delete(one, { schema: { tags, params, response: { 204: Type.Null() } } }, async (request, reply) => {
    const { id, incidentId } = request.params
    await incidents.change(accountOf(request), incidentId, ({ definition }) => withoutUpdate(definition, id))
    return reply.code(204).send(null)
  })
}
