import { type Static, Type } from 'typebox'
import { Nullable, OneOf, Uuid } from '../../schema.ts'

/** semantics §1 */
const units = ['seconds', 'minutes', 'hours', 'days'] as const
export type HeartbeatUnit = (typeof units)[number]

const amount = (description: string) => Type.Number({ minimum: 0, maximum: 365 * 24 * 60 * 60, description })

/** When pings are expected. Zeroed where a client has nothing to say of it: rules/heartbeat names what is allowed. */
export const Heartbeat = Type.Object({
  period: amount('the longest that a job takes from one ping to the next, 30 seconds to 365 days'),
  periodUnit: OneOf(units),
  grace: amount('how much later a ping may come before the heartbeat fails, up to 365 days'),
  graceUnit: OneOf(units),
  /** Made by the service where it is left out, and for life. */
  pingToken: Type.Optional(
    Nullable(Type.Union([Uuid, Type.Literal('')]), {
      description:
        'made by the service where it is left out, and for life: the pings go to pingUrl, which ends in it',
    }),
  ),
})
export type Heartbeat = Static<typeof Heartbeat>
