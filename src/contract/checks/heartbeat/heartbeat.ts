import { type Static, Type } from 'typebox'
import { Nullable, OneOf, Uuid } from '../../schema.ts'

/** semantics §1 */
const units = ['seconds', 'minutes', 'hours', 'days'] as const
export type HeartbeatUnit = (typeof units)[number]

const amount = Type.Number({ minimum: 0, maximum: 365 * 24 * 60 * 60 })

/** When pings are expected. Zeroed where a client has nothing to say of it: rules/heartbeat names what is allowed. */
export const Heartbeat = Type.Object({
  period: amount,
  periodUnit: OneOf(units),
  grace: amount,
  graceUnit: OneOf(units),
  /** Made by the service where it is left out, and for life. */
  pingToken: Type.Optional(Nullable(Type.Union([Uuid, Type.Literal('')]))),
})
export type Heartbeat = Static<typeof Heartbeat>
