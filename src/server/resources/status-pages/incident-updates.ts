import type { StatusPageIncidentUpdateBody } from '../../../contract/resources/status-page-incident.ts'
import { dateTimeText } from '../../../contract/wire-time.ts'
import { newId } from '../../../lib/ids.ts'
import { ApiError, found } from '../../http/api-error.ts'
import type { Incident, IncidentUpdate } from './incident.ts'
import { newestFirst } from './incident-progress.ts'

const mostUpdates = 100

/** Some clients send the year 1 for a date that they do not know (semantics §2). */
const isZero = (date: string) => date.startsWith('0001-')

/** What is not said takes its default: the status that the others leave, and now. */
function updateOf(
  body: StatusPageIncidentUpdateBody,
  others: readonly IncidentUpdate[],
  now: number,
): Omit<IncidentUpdate, 'id' | 'createdAt'> {
  const { description, notifySubscribers, publicIncidentUpdateDate: date } = body
  return {
    description,
    status: body.status ?? newestFirst(others)[0]?.status ?? 'INVESTIGATING',
    publicIncidentUpdateDate: date === undefined || isZero(date) ? dateTimeText(now) : date,
    notifySubscribers,
  }
}

export const firstUpdate = (body: StatusPageIncidentUpdateBody, now: number): IncidentUpdate => ({
  id: newId(),
  createdAt: now,
  ...updateOf(body, [], now),
})

/** @throws ApiError 404 */
export const findUpdate = (incident: Incident, id: string): IncidentUpdate =>
  found(
    incident.updates.find((update) => update.id === id),
    'incident update',
  )

/** The incident with one more update, of this id. @throws ApiError 409 */
export function withUpdate(
  incident: Incident,
  id: string,
  body: StatusPageIncidentUpdateBody,
  now: number,
): Incident {
  const { updates } = incident
  if (updates.length >= mostUpdates) {
    throw new ApiError('CONFLICT', `An incident has at most ${mostUpdates} updates: delete one first`)
  }
  return { ...incident, updates: [...updates, { id, createdAt: now, ...updateOf(body, updates, now) }] }
}

/** @throws ApiError 404 */
export function withUpdateReplaced(
  incident: Incident,
  id: string,
  body: StatusPageIncidentUpdateBody,
  now: number,
): Incident {
  const replaced = findUpdate(incident, id)
  const others = incident.updates.filter((update) => update !== replaced)
  const changed = { ...replaced, ...updateOf(body, others, now) }
  return {
    ...incident,
    updates: incident.updates.map((update) => (update === replaced ? changed : update)),
  }
}

/** @throws ApiError 404, 409 */
export function withoutUpdate(incident: Incident, id: string): Incident {
  const removed = findUpdate(incident, id)
  if (incident.updates.length === 1) {
    throw new ApiError('CONFLICT', 'An incident has at least one update: delete the incident instead')
  }
  return { ...incident, updates: incident.updates.filter((update) => update !== removed) }
}
