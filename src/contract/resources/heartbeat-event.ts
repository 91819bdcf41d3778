import { type Static, Type } from 'typebox'
import { Nullable, OneOf } from '../schema.ts'
import { DateTimeText, InstantQuery } from '../wire-time.ts'

/** semantics §7 */
const heartbeatStates = ['FAILING', 'EARLY', 'RECEIVED', 'GRACE', 'LATE'] as const
export type HeartbeatEventState = (typeof heartbeatStates)[number]

export const HeartbeatEvent = Type.Object({
  id: Type.String(),
  state: OneOf(heartbeatStates),
  timestamp: DateTimeText,
  source: Nullable(Type.String()),
  userAgent: Nullable(Type.String()),
  pings: Type.Integer({
    description: 'how many it tells of: those of one second with one outcome are one event; 0 when none came',
  }),
  durationMs: Nullable(Type.Number({ description: 'from the start that the job told of' })),
  exitCode: Nullable(Type.Integer()),
  body: Nullable(Type.String({ description: 'the beginning of what the job sent' })),
})
export type HeartbeatEvent = Static<typeof HeartbeatEvent>

/** Null where nothing was expected in the current period. The previous period is as long, and ends where this begins. */
export const HeartbeatAvailability = Nullable(
  Type.Object({
    successRatio: Type.Object({
      previousPeriod: Type.Number({ description: '0 to 1' }),
      currentPeriod: Type.Number({ description: '0 to 1' }),
    }),
    totalEntitiesCurrentPeriod: Type.Integer(),
  }),
)
export type HeartbeatAvailability = Static<typeof HeartbeatAvailability>

const HeartbeatStats = Type.Object({
  last24Hours: HeartbeatAvailability,
  last7Days: HeartbeatAvailability,
})

export const HeartbeatEvents = Type.Array(
  Type.Object({ events: Type.Array(HeartbeatEvent), stats: HeartbeatStats }),
)
export const HeartbeatEventWithStats = Type.Object({ event: HeartbeatEvent, stats: HeartbeatStats })

export const HeartbeatWindowQuery = {
  startTime: Type.Optional(InstantQuery),
  endTime: Type.Optional(InstantQuery),
}
