import type {
  ProgressStatus,
  StatusPageIncident,
  StatusPageIncidentBody,
  StatusPageIncidentUpdate,
} from '../../../contract/resources/status-page-incident.ts'
import { dateText, dateTimeText } from '../../../contract/wire-time.ts'
import type { Stored } from '../../stored/collection.ts'
import { newestFirst, progressOf } from './incident-progress.ts'
import { type ServicesById, servicesNamed } from './services.ts'

export interface IncidentUpdate {
  readonly id: string
  readonly description: string
  readonly status: ProgressStatus
  /** ISO 8601, as it was sent. */
  readonly publicIncidentUpdateDate: string
  readonly notifySubscribers: boolean
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** As it is stored. */
export interface Incident {
  readonly name: string
  readonly severity: StatusPageIncidentBody['severity']
  readonly serviceIds: readonly string[]
  /** At least one, in the order in which they came. */
  readonly updates: readonly IncidentUpdate[]
}

export const updateResource = ({ createdAt, ...update }: IncidentUpdate): StatusPageIncidentUpdate => ({
  ...update,
  created_at: dateText(createdAt),
})

export function incidentResource(
  { id, definition, createdAt, updatedAt }: Stored<Incident>,
  services: ServicesById,
): StatusPageIncident {
  return {
    id,
    name: definition.name,
    severity: definition.severity,
    services: servicesNamed(services, definition.serviceIds),
    incidentUpdates: newestFirst(definition.updates).map(updateResource),
    ...progressOf(definition.updates),
    created_at: dateTimeText(createdAt),
    updated_at: dateTimeText(updatedAt ?? createdAt),
  }
}
