import { type Static, Type } from 'typebox'
import { OneOf, Text } from '../schema.ts'
import { DateTimeText } from '../wire-time.ts'

const kind = OneOf(['EMAIL'])
const status = OneOf(['PENDING', 'VERIFIED'])

export const StatusPageSubscriptionBulk = Type.Object({
  subscriptions: Type.Array(
    Type.Object({ type: kind, config: Text({ maxLength: 254, description: 'e-mail address' }) }),
    { minItems: 1, maxItems: 100 },
  ),
})

export const StatusPageSubscriptionCounts = Type.Object({
  created: Type.Integer({ description: 'how many were not there before' }),
  skipped: Type.Integer({ description: 'how many were there, or were named twice' }),
  status,
})
export type StatusPageSubscriptionCounts = Static<typeof StatusPageSubscriptionCounts>

export const StatusPageSubscription = Type.Object({
  id: Type.String(),
  type: kind,
  address: Type.String(),
  status,
  created_at: DateTimeText,
  updated_at: DateTimeText,
})
export type StatusPageSubscription = Static<typeof StatusPageSubscription>
