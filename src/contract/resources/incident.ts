import { type Static, Type } from 'typebox'
import { Nullable, OneOf, Text } from '../schema.ts'
import { DateTimeText } from '../wire-time.ts'

/** Incidents that a dashboard shows; those of status pages are another resource. */
const Impact = OneOf(['MAINTENANCE', 'MAJOR', 'MINOR'], { default: 'MINOR' })
const Status = OneOf(['INVESTIGATING', 'IDENTIFIED', 'MONITORING', 'RESOLVED', 'MAINTENANCE'])
const Moment = Type.Union(
  [Type.String({ format: 'date-time', maxLength: 40 }), Type.Literal(''), Type.Null()],
  { default: null },
)

const Description = Text({ minLength: 1, maxLength: 10_000 })

export const IncidentUpdateBody = Type.Object({ status: Status, description: Description })
export type IncidentUpdateBody = Static<typeof IncidentUpdateBody>
export const IncidentUpdateChange = Type.Object({ description: Description })

export const IncidentBody = Type.Object({
  name: Text({ minLength: 1, maxLength: 255 }),
  impact: Impact,
  startedAt: Moment,
  stoppedAt: Moment,
})
export type IncidentBody = Static<typeof IncidentBody>

export const IncidentCreate = Type.Object({
  ...IncidentBody.properties,
  dashboardId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  incidentUpdates: Type.Array(IncidentUpdateBody, {
    minItems: 1,
    maxItems: 100,
    description: 'newest first',
  }),
})

export const IncidentUpdate = Type.Object({
  id: Type.String(),
  incidentId: Type.String(),
  status: Type.String(),
  description: Type.String(),
  created_at: DateTimeText,
  updated_at: Nullable(DateTimeText),
})
export type IncidentUpdate = Static<typeof IncidentUpdate>

const incidentFields = {
  id: Type.String(),
  name: Type.String(),
  impact: Type.String(),
  startedAt: Nullable(DateTimeText),
  stoppedAt: Nullable(DateTimeText),
  dashboardId: Type.Integer(),
  created_at: DateTimeText,
  updated_at: Nullable(DateTimeText),
}

export const Incident = Type.Object({
  ...incidentFields,
  incidentUpdates: Type.Array(IncidentUpdate, { description: 'newest first' }),
})
export type Incident = Static<typeof Incident>

/** The answer of an update: the contract has no updates in it. */
export const IncidentBare = Type.Object({ ...incidentFields, incidentUpdates: Type.Null() })
export type IncidentBare = Static<typeof IncidentBare>
