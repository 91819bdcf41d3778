import { Collection } from '../../stored/collection.ts'
import type { Incident } from './incident.ts'
import type { StatusPageOptions } from './options.ts'
import { assertServicesExist } from './service-collection.ts'

export type IncidentCollection = Collection<Incident>

export const incidentCollection = (options: StatusPageOptions): IncidentCollection =>
  new Collection(options, {
    kind: 'status-page-incident',
    what: 'incident of status pages',
    ids: 'uuid',
    most: 10_000,
    linksOf: ({ serviceIds }) => serviceIds,
    check: (db, accountId, { serviceIds }) =>
      assertServicesExist(
        db,
        accountId,
        serviceIds.map((id, index) => ({ path: `services[${index}].id`, id })),
      ),
  })
