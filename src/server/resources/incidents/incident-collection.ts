import type { IncidentBody, IncidentUpdateBody } from '../../../contract/resources/incident.ts'
import type { Clock } from '../../../lib/clock.ts'
import { newId } from '../../../lib/ids.ts'
import type { Database } from '../../../storage/database.ts'
import { findDocument } from '../../../storage/documents.ts'
import { ApiError, found } from '../../http/api-error.ts'
import { Collection } from '../../stored/collection.ts'

export interface IncidentOptions {
  readonly database: Database
  readonly clock: Clock
}

export interface StoredUpdate extends IncidentUpdateBody {
  readonly id: string
  /** Epoch milliseconds, both. */
  readonly createdAt: number
  readonly updatedAt: number | null
}

export interface IncidentDefinition {
  readonly dashboardId: number
  readonly body: IncidentBody
  /** Newest first, at least one. */
  readonly updates: readonly StoredUpdate[]
}

const mostUpdates = 200

export const newUpdate = ({ status, description }: IncidentUpdateBody, createdAt: number): StoredUpdate => ({
  id: newId(),
  status,
  description,
  createdAt,
  updatedAt: null,
})

/** @throws ApiError 409 when there is no room */
export function withUpdate(incident: IncidentDefinition, update: StoredUpdate): IncidentDefinition {
  if (incident.updates.length < mostUpdates) return { ...incident, updates: [update, ...incident.updates] }
  throw new ApiError(
    'CONFLICT',
    `An incident has at most ${mostUpdates} updates: delete one first, or create another incident`,
  )
}

/** @throws ApiError 404 */
export function withDescription(
  incident: IncidentDefinition,
  id: string,
  description: string,
  updatedAt: number,
): IncidentDefinition {
  const changed = { ...findUpdate(incident, id), description, updatedAt }
  return { ...incident, updates: incident.updates.map((update) => (update.id === id ? changed : update)) }
}

/** @throws ApiError 404; 409 for the last one, without which an incident says nothing */
export function withoutUpdate(incident: IncidentDefinition, id: string): IncidentDefinition {
  const { id: known } = findUpdate(incident, id)
  if (incident.updates.length > 1) {
    return { ...incident, updates: incident.updates.filter((update) => update.id !== known) }
  }
  throw new ApiError(
    'CONFLICT',
    'An incident has at least one update: delete the incident, or add an update first',
  )
}

/** @throws ApiError 404 */
export const findUpdate = ({ updates }: IncidentDefinition, id: string): StoredUpdate =>
  found(
    updates.find((update) => update.id === id),
    'update of the incident',
  )

/** Each belongs to its dashboard and is deleted with it. */
export const incidentCollection = (options: IncidentOptions): Collection<IncidentDefinition> =>
  new Collection(options, {
    kind: 'dashboard-incident',
    what: 'incident',
    ids: 'uuid',
    most: 1000,
    check: async (db, accountId, { dashboardId }) => {
      found(await findDocument(db, { kind: 'dashboard', accountId }, String(dashboardId)), 'dashboard')
    },
  })
