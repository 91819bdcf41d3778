import { type Static, Type } from 'typebox'
import { Nullable, Text } from '../schema.ts'

/** service.md, alertChannelSubscriptions of a check or a group. */
export const AlertChannelSubscription = Type.Object({
  alertChannelId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  activated: Type.Boolean({ default: true }),
})
export type AlertChannelSubscription = Static<typeof AlertChannelSubscription>

/** Left out, it is decided by `autoAssignAlerts`; an empty list subscribes to nothing. */
export const alertChannelSubscriptions = Type.Optional(
  Type.Array(AlertChannelSubscription, { maxItems: 1000 }),
)

/** Who is told by an alert channel: a check or a group, never both. */
export const ChannelSubscriptionBody = Type.Object({
  checkId: Nullable(Text({ maxLength: 100 }), { default: null }),
  groupId: Nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), { default: null }),
  activated: Type.Boolean({ default: true }),
})
export type ChannelSubscriptionBody = Static<typeof ChannelSubscriptionBody>

export const ChannelSubscription = Type.Object({
  id: Type.Integer(),
  checkId: Nullable(Type.String()),
  groupId: Nullable(Type.Integer()),
  activated: Type.Boolean(),
})
export type ChannelSubscription = Static<typeof ChannelSubscription>
