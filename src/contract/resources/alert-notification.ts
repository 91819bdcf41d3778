import { type Static, Type } from 'typebox'
import { CheckTypeName } from '../check-types.ts'
import { Nullable, OneOf } from '../schema.ts'
import { DateTimeText } from '../wire-time.ts'
import { CheckAlertQuery } from './check-alert.ts'

/** What was sent through a channel because of an alert. */
export const AlertNotification = Type.Object({
  id: Type.String(),
  type: Type.String({ description: 'of the channel' }),
  status: OneOf(['IN_PROGRESS', 'SUCCESS', 'FAILURE', 'RATE_LIMITED']),
  alertConfig: Type.Record(Type.String(), Type.Unknown()),
  notificationResult: Nullable(Type.String()),
  timestamp: Nullable(DateTimeText),
  checkType: CheckTypeName,
  checkId: Type.String(),
  checkAlertId: Type.String(),
  alertChannelId: Type.Integer(),
  checkResultId: Type.Optional(Type.String()),
})
export type AlertNotification = Static<typeof AlertNotification>

export const AlertNotificationQuery = Type.Object({
  ...CheckAlertQuery.properties,
  alertChannelId: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
  hasFailures: Type.Optional(Type.Boolean({ description: 'true: only what did not get through' })),
})
