import { type Static, Type } from 'typebox'
import { Nullable, OneOf, Text } from '../schema.ts'
import { DateText } from '../wire-time.ts'

/** A calendar date means its midnight; a timestamp without a zone is in UTC. */
const Moment = Type.String({
  format: 'date-time',
  maxLength: 40,
  description: 'date or timestamp of ISO 8601, UTC',
})
const Tags = Type.Array(Text({ maxLength: 255 }), { default: [], maxItems: 100 })

/** Semantics §1; empty is what clients send for a window that does not repeat. */
const RepeatUnit = OneOf(['DAY', 'WEEK', 'MONTH', ''])

/** When scheduled runs are skipped, and of which checks: those with a tag of the window, or whose group has one. */
export const MaintenanceWindowBody = Type.Object({
  name: Text({ minLength: 1, maxLength: 255 }),
  tags: Tags,
  startsAt: Moment,
  endsAt: Moment,
  repeatInterval: Nullable(Type.Integer({ minimum: 1, maximum: 10_000 }), {
    default: null,
    description: 'units from one occurrence to the next; null: it does not repeat',
  }),
  repeatUnit: RepeatUnit,
  repeatEndsAt: Type.Union([Moment, Type.Literal(''), Type.Null()], {
    default: null,
    description: 'the last instant at which an occurrence may start; of a calendar date its whole day',
  }),
})
export type MaintenanceWindowBody = Static<typeof MaintenanceWindowBody>

export const MaintenanceWindow = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  tags: Type.Array(Type.String()),
  startsAt: DateText,
  endsAt: DateText,
  repeatInterval: Nullable(Type.Integer()),
  repeatUnit: Type.String(),
  repeatEndsAt: Nullable(DateText),
  created_at: DateText,
  updated_at: Nullable(DateText),
})
export type MaintenanceWindow = Static<typeof MaintenanceWindow>

const boundsOf = (field: 'startsAt' | 'endsAt') => {
  const bound = Type.Optional(
    Type.String({ format: 'date-time', maxLength: 40, description: `as \`${field}[gte]=2026-03-01\`` }),
  )
  return Type.Object({ gt: bound, gte: bound, lt: bound, lte: bound })
}
export type Bounds = Static<ReturnType<typeof boundsOf>>

/** Which windows a list holds. */
export const MaintenanceWindowFilter = Type.Object({
  startsAt: Type.Optional(boundsOf('startsAt')),
  endsAt: Type.Optional(boundsOf('endsAt')),
})
export type MaintenanceWindowFilter = Static<typeof MaintenanceWindowFilter>
