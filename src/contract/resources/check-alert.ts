import { type Static, Type } from 'typebox'
import { CheckTypeName } from '../check-types.ts'
import { pageQuery } from '../paging.ts'
import { Nullable, OneOf } from '../schema.ts'
import { DateTimeText, InstantQuery } from '../wire-time.ts'

/** semantics §8 */
const alertTypes = [
  'NO_ALERT',
  'ALERT_FAILURE',
  'ALERT_FAILURE_REMAIN',
  'ALERT_FAILURE_DEGRADED',
  'ALERT_RECOVERY',
  'ALERT_DEGRADED',
  'ALERT_DEGRADED_REMAIN',
  'ALERT_DEGRADED_FAILURE',
  'ALERT_DEGRADED_RECOVERY',
  'ALERT_SSL',
] as const
const AlertType = OneOf(alertTypes)
export type AlertType = Static<typeof AlertType>

/** Response time in milliseconds. */
export const CheckAlert = Type.Object({
  id: Type.String(),
  name: Type.String({ description: "the check's, when it alerted" }),
  checkId: Type.String(),
  alertType: AlertType,
  checkType: CheckTypeName,
  runLocation: Type.String(),
  responseTime: Type.Number(),
  error: Nullable(Type.String()),
  statusCode: Nullable(Type.String()),
  created_at: DateTimeText,
  startedAt: DateTimeText,
})
export type CheckAlert = Static<typeof CheckAlert>

/** `from` is included, `to` is not. */
export const CheckAlertQuery = Type.Object({
  ...pageQuery,
  from: Type.Optional(InstantQuery),
  to: Type.Optional(InstantQuery),
})
