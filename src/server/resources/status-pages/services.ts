import type {
  ServiceReference,
  StatusPageService,
  StatusPageServiceBody,
} from '../../../contract/resources/status-page-service.ts'
import { dateTimeText, dateTimeTextOrNull } from '../../../contract/wire-time.ts'
import type { Stored } from '../../stored/collection.ts'

export type StoredService = Stored<StatusPageServiceBody>

/** Services by their ids. */
export type ServicesById = ReadonlyMap<string, StoredService>

export const serviceResource = ({
  id,
  accountId,
  definition,
  createdAt,
  updatedAt,
}: StoredService): StatusPageService => ({
  name: definition.name,
  id,
  accountId,
  created_at: dateTimeText(createdAt),
  updated_at: dateTimeTextOrNull(updatedAt),
})

/** In the order in which they are named. */
export const servicesNamed = (services: ServicesById, ids: readonly string[]): StatusPageService[] =>
  ids.flatMap((id) => {
    const service = services.get(id)
    return service ? [serviceResource(service)] : []
  })

export const idsOf = (references: readonly ServiceReference[]): string[] => references.map(({ id }) => id)
