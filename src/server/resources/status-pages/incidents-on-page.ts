import type { StatusPageIncident } from '../../../contract/resources/status-page-incident.ts'
import type { Stored } from '../../stored/collection.ts'
import { incidentResource } from './incident.ts'
import type { IncidentCollection } from './incident-collection.ts'
import { type Page, serviceIdsOf } from './page.ts'
import { loadServices, type ServiceCollection } from './service-collection.ts'

const mostOnPage = 20

interface Collections {
  readonly incidents: IncidentCollection
  readonly services: ServiceCollection
}

/** The newest incidents of services that the page shows, each with its newest update. */
export async function incidentsOnPage(
  { incidents, services }: Collections,
  { accountId, definition }: Stored<Page>,
): Promise<StatusPageIncident[]> {
  const stored = await incidents.listLinked(accountId, serviceIdsOf(definition), mostOnPage)
  const ids = stored.flatMap(({ definition: { serviceIds } }) => serviceIds)
  const known = await loadServices(services, accountId, ids)
  return stored.map((incident) => {
    const { incidentUpdates, ...resource } = incidentResource(incident, known)
    return { ...resource, incidentUpdates: incidentUpdates.slice(0, 1) }
  })
}
