import { type Static, Type } from 'typebox'
import { OneOf } from './schema.ts'

/** service.md, alertSettings; values of semantics §1. */
export const AlertSettings = Type.Object(
  {
    escalationType: OneOf(['RUN_BASED', 'TIME_BASED'], { default: 'RUN_BASED' }),
    runBasedEscalation: Type.Object(
      { failedRunThreshold: OneOf([1, 2, 3, 4, 5], { default: 1 }) },
      { default: { failedRunThreshold: 1 } },
    ),
    timeBasedEscalation: Type.Optional(
      Type.Object({ minutesFailingThreshold: OneOf([5, 10, 15, 30], { default: 5 }) }),
    ),
    reminders: Type.Object(
      {
        amount: OneOf([0, 1, 2, 3, 4, 5, 100_000], { default: 0 }),
        interval: OneOf([1, 2, 3, 4, 5, 10, 15, 30], { default: 5 }),
      },
      { default: { amount: 0, interval: 5 } },
    ),
    parallelRunFailureThreshold: Type.Object(
      {
        enabled: Type.Boolean({ default: false }),
        percentage: OneOf([10, 20, 30, 40, 50, 60, 70, 80, 90, 100], { default: 10 }),
      },
      { default: { enabled: false, percentage: 10 } },
    ),
    sslCertificates: Type.Optional(
      Type.Object({
        enabled: Type.Optional(Type.Boolean()),
        alertThreshold: Type.Optional(Type.Integer({ minimum: 1, maximum: 30 })),
      }),
    ),
  },
  { default: {} },
)
export type AlertSettings = Static<typeof AlertSettings>
