import { type Static, Type } from 'typebox'
import { Nullable, Text } from '../schema.ts'
import { DateTimeText } from '../wire-time.ts'

/** A part of what somebody runs, as visitors of a status page know it. */
export const StatusPageServiceBody = Type.Object({ name: Text({ minLength: 1, maxLength: 255 }) })
export type StatusPageServiceBody = Static<typeof StatusPageServiceBody>

export const StatusPageService = Type.Object({
  ...StatusPageServiceBody.properties,
  id: Type.String(),
  accountId: Type.String(),
  created_at: DateTimeText,
  updated_at: Nullable(DateTimeText),
})
export type StatusPageService = Static<typeof StatusPageService>

/** How a card or an incident names a service; what else clients send with it is read from the service itself. */
export const ServiceReference = Type.Object({ id: Text({ minLength: 1, maxLength: 100 }) })
export type ServiceReference = Static<typeof ServiceReference>
