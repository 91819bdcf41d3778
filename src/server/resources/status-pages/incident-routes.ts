import { Type } from 'typebox'
import { CursorList, cursorQuery } from '../../../contract/cursor-list.ts'
import {
  StatusPageIncident,
  StatusPageIncidentBody,
  StatusPageIncidentCreate,
  StatusPageIncidentPatch,
} from '../../../contract/resources/status-page-incident.ts'
import { Text } from '../../../contract/schema.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf } from '../../http/authentication.ts'
import { itemRoutes } from '../../http/crud-routes.ts'
import { cursorList, readCursorPart } from '../../http/cursor-list.ts'
import type { Stored } from '../../stored/collection.ts'
import { cursorOf, readBehind } from './cursor.ts'
import { type Incident, incidentResource } from './incident.ts'
import type { IncidentCollection } from './incident-collection.ts'
import { firstUpdate } from './incident-updates.ts'
import { type StatusPageOptions, tags } from './options.ts'
import { loadServices, type ServiceCollection } from './service-collection.ts'
import { idsOf } from './services.ts'

const path = '/v1/status-pages/incidents'

interface IncidentOptions extends Pick<StatusPageOptions, 'clock'> {
  readonly incidents: IncidentCollection
  readonly services: ServiceCollection
}

const changed = (incident: Incident, { services, ...rest }: StatusPageIncidentPatch): Incident => ({
  ...incident,
  ...rest,
  ...(services && { serviceIds: idsOf(services) }),
})

export function incidentRoutes(app: App, { incidents, services, clock }: IncidentOptions): void {
  async function show(incident: Stored<Incident>): Promise<StatusPageIncident> {
    const { accountId, definition } = incident
    return incidentResource(incident, await loadServices(services, accountId, definition.serviceIds))
  }

  const change = async (accountId: string, id: string, patch: StatusPageIncidentPatch) =>
    show(await incidents.change(accountId, id, ({ definition }) => changed(definition, patch)))

  function open(accountId: string, body: StatusPageIncidentCreate): Promise<Stored<Incident>> {
    const now = clock.now()
    return incidents.create(accountId, {
      name: body.name,
      severity: body.severity,
      serviceIds: idsOf(body.services),
      updates: body.incidentUpdates.map((update) => firstUpdate(update, now)),
    })
  }

  app.get(
    path,
    {
      schema: {
        tags,
        querystring: Type.Object(cursorQuery),
        response: { 200: CursorList(StatusPageIncident) },
      },
    },
    async (request) => {
      const accountId = accountOf(request)
      const part = await readCursorPart(request.query, readBehind(incidents, accountId), cursorOf)
      const ids = part.rows.flatMap(({ definition }) => definition.serviceIds)
      const known = await loadServices(services, accountId, ids)
      return cursorList(part, (incident) => incidentResource(incident, known))
    },
  )

  app.patch(
    `${path}/:incidentId`,
    {
      schema: {
        tags,
        params: Type.Object({ incidentId: Text() }),
        body: StatusPageIncidentPatch,
        response: { 200: StatusPageIncident },
      },
    },
    (request) => change(accountOf(request), request.params.incidentId, request.body),
  )

  itemRoutes(app, {
    path,
    tags,
    ids: 'text',
    idName: 'incidentId',
    schemas: {
      create: StatusPageIncidentCreate,
      update: StatusPageIncidentBody,
      resource: StatusPageIncident,
    },
    actions: {
      create: async (accountId, body) => show(await open(accountId, body)),
      find: async (accountId, id) => show(await incidents.find(accountId, id)),
      replace: change,
      remove: (accountId, id) => incidents.remove(accountId, id),
    },
  })
}
