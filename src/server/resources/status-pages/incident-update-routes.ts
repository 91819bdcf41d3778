import { Type } from 'typebox'
import {
  StatusPageIncidentUpdate,
  StatusPageIncidentUpdateBody,
} from '../../../contract/resources/status-page-incident.ts'
import { Text } from '../../../contract/schema.ts'
import { newId } from '../../../lib/ids.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf } from '../../http/authentication.ts'
import { type Incident, updateResource } from './incident.ts'
import type { IncidentCollection } from './incident-collection.ts'
import { newestFirst } from './incident-progress.ts'
import { findUpdate, withoutUpdate, withUpdate, withUpdateReplaced } from './incident-updates.ts'
import { type StatusPageOptions, tags } from './options.ts'

const path = '/v1/status-pages/incidents/:incidentId/incident-updates'
const ByIncident = Type.Object({ incidentId: Text() })
const ByUpdate = Type.Object({ incidentId: Text(), incidentUpdateId: Text() })

interface UpdateOptions extends Pick<StatusPageOptions, 'clock'> {
  readonly incidents: IncidentCollection
}

export function incidentUpdateRoutes(app: App, { incidents, clock }: UpdateOptions): void {
  async function load(accountId: string, incidentId: string): Promise<Incident> {
    return (await incidents.find(accountId, incidentId)).definition
  }

  async function change(accountId: string, incidentId: string, edit: (incident: Incident) => Incident) {
    return (await incidents.change(accountId, incidentId, ({ definition }) => edit(definition))).definition
  }

  app.get(
    path,
    { schema: { tags, params: ByIncident, response: { 200: Type.Array(StatusPageIncidentUpdate) } } },
    async (request) => {
      const { updates } = await load(accountOf(request), request.params.incidentId)
      return newestFirst(updates).map(updateResource)
    },
  )

  app.post(
    path,
    {
      schema: {
        tags,
        params: ByIncident,
        body: StatusPageIncidentUpdateBody,
        response: { 200: StatusPageIncidentUpdate },
      },
    },
    async (request) => {
      const id = newId()
      const incident = await change(accountOf(request), request.params.incidentId, (stored) =>
        withUpdate(stored, id, request.body, clock.now()),
      )
      return updateResource(findUpdate(incident, id))
    },
  )

  app.get(
    `${path}/:incidentUpdateId`,
    { schema: { tags, params: ByUpdate, response: { 200: StatusPageIncidentUpdate } } },
    async (request) => {
      const { incidentId, incidentUpdateId } = request.params
      return updateResource(findUpdate(await load(accountOf(request), incidentId), incidentUpdateId))
    },
  )

  app.put(
    `${path}/:incidentUpdateId`,
    {
      schema: {
        tags,
        params: ByUpdate,
        body: StatusPageIncidentUpdateBody,
        response: { 200: StatusPageIncidentUpdate },
      },
    },
    async (request) => {
      const { incidentId, incidentUpdateId } = request.params
      const incident = await change(accountOf(request), incidentId, (stored) =>
        withUpdateReplaced(stored, incidentUpdateId, request.body, clock.now()),
      )
      return updateResource(findUpdate(incident, incidentUpdateId))
    },
  )

  app.delete(
    `${path}/:incidentUpdateId`,
    { schema: { tags, params: ByUpdate, response: { 204: Type.Null() } } },
    async (request, reply) => {
      const { incidentId, incidentUpdateId } = request.params
      await change(accountOf(request), incidentId, (stored) => withoutUpdate(stored, incidentUpdateId))
      return reply.code(204).send(null)
    },
  )
}
