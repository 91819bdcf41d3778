import { type Static, Type } from 'typebox'
import { Nullable, OneOf, Text } from '../schema.ts'
import { Severity } from '../severity.ts'
import { DateText, DateTimeText } from '../wire-time.ts'
import { ServiceReference, StatusPageService } from './status-page-service.ts'

/** service.md, status of an incident update. */
const ProgressStatus = OneOf(['INVESTIGATING', 'IDENTIFIED', 'MONITORING', 'RESOLVED'])
export type ProgressStatus = Static<typeof ProgressStatus>

const notifySubscribers = Type.Boolean({ default: false })
const Description = Text({ minLength: 1, maxLength: 5000 })

/** Without a status nothing changes in that respect; without a date it is of the moment it comes. */
export const StatusPageIncidentUpdateBody = Type.Object({
  description: Description,
  status: Type.Optional(ProgressStatus),
  publicIncidentUpdateDate: Type.Optional(Type.String({ format: 'date-time', maxLength: 40 })),
  notifySubscribers,
})
export type StatusPageIncidentUpdateBody = Static<typeof StatusPageIncidentUpdateBody>

/** service.md, status-page incident update. */
export const StatusPageIncidentUpdate = Type.Object({
  id: Type.String(),
  description: Description,
  status: ProgressStatus,
  publicIncidentUpdateDate: DateTimeText,
  notifySubscribers: Type.Boolean(),
  created_at: DateText,
})
export type StatusPageIncidentUpdate = Static<typeof StatusPageIncidentUpdate>

const name = Text({ minLength: 1, maxLength: 255 })
const services = Type.Array(ServiceReference, { minItems: 1, maxItems: 100 })

/** What an incident is, without what was said of it. */
export const StatusPageIncidentBody = Type.Object({ name, severity: Severity, services })
export type StatusPageIncidentBody = Static<typeof StatusPageIncidentBody>

/** Only what is to change: the command line of existing clients sends a severity alone. */
export const StatusPageIncidentPatch = Type.Partial(StatusPageIncidentBody)
export type StatusPageIncidentPatch = Static<typeof StatusPageIncidentPatch>

export const StatusPageIncidentCreate = Type.Object({
  ...StatusPageIncidentBody.properties,
  incidentUpdates: Type.Array(StatusPageIncidentUpdateBody, { minItems: 1, maxItems: 1 }),
})
export type StatusPageIncidentCreate = Static<typeof StatusPageIncidentCreate>

export const StatusPageIncident = Type.Object({
  id: Type.String(),
  name,
  severity: Severity,
  services: Type.Array(StatusPageService),
  /** Newest first. */
  incidentUpdates: Type.Array(StatusPageIncidentUpdate),
  lastUpdateStatus: ProgressStatus,
  duration: Nullable(Type.Integer({ description: 'seconds until it was resolved; null while it is not' })),
  created_at: DateTimeText,
  updated_at: DateTimeText,
})
export type StatusPageIncident = Static<typeof StatusPageIncident>
