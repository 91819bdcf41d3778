import type { Incident, IncidentBare, IncidentUpdate } from '../../../contract/resources/incident.ts'
import { dateTimeText, dateTimeTextOrNull } from '../../../contract/wire-time.ts'
import type { Stored } from '../../stored/collection.ts'
import type { IncidentDefinition, StoredUpdate } from './incident-collection.ts'

type StoredIncident = Stored<IncidentDefinition>

export const updateResource = (incidentId: string, update: StoredUpdate): IncidentUpdate => ({
  id: update.id,
  incidentId,
  status: update.status,
  description: update.description,
  created_at: dateTimeText(update.createdAt),
  updated_at: dateTimeTextOrNull(update.updatedAt),
})

/** Newest first. */
export const updateResources = ({ id, definition }: StoredIncident): IncidentUpdate[] =>
  definition.updates.map((update) => updateResource(id, update))

/** Without its updates. A time that is empty is none. */
export function bareResource({ id, definition, createdAt, updatedAt }: StoredIncident): IncidentBare {
  const { dashboardId, body } = definition
  return {
    id,
    ...body,
    startedAt: body.startedAt || null,
    stoppedAt: body.stoppedAt || null,
    dashboardId,
    created_at: dateTimeText(createdAt),
    updated_at: dateTimeTextOrNull(updatedAt),
    incidentUpdates: null,
  }
}

export const incidentResource = (stored: StoredIncident): Incident => ({
  ...bareResource(stored),
  incidentUpdates: updateResources(stored),
})
