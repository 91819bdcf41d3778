import { type Static, Type } from 'typebox'
import { Capabilities } from './agent-protocol.ts'
import { Location } from './run.ts'
import { EpochMs, Nullable, OneOf, Uuid } from './schema.ts'

/** More checks than one agent serves. */
const maxScheduledChecks = 100_000

/** When a window is open, as rules/maintenance reads it; of a check it holds those that are for its tags. */
const Window = Type.Object({
  startMs: Type.Integer(),
  endMs: Type.Integer(),
  repeat: Nullable(
    Type.Object({
      unit: OneOf(['DAY', 'WEEK', 'MONTH']),
      every: Type.Integer({ minimum: 1 }),
      untilMs: Nullable(Type.Integer()),
    }),
  ),
})

/** What says at which instants and places a check is due (rules/schedule, rules/placement). */
const CheckSchedule = Type.Object({
  checkId: Uuid,
  version: Type.Integer({ minimum: 1, description: 'of the check definition' }),
  intervalMs: Type.Integer({ minimum: 1000 }),
  phaseMs: Type.Integer({ minimum: 0 }),
  locations: Type.Array(Location, { description: 'all of them, in the order of the round robin' }),
  runParallel: Type.Boolean(),
  windows: Type.Array(Type.Integer({ minimum: 0 }), {
    description: 'indexes of the windows that are for it',
  }),
})
export type CheckSchedule = Static<typeof CheckSchedule>

const Schedules = Type.Object({
  locations: Type.Array(Location, { description: 'those that this agent serves' }),
  checks: Type.Array(CheckSchedule, { maxItems: maxScheduledChecks }),
  windows: Type.Array(Window),
})
export type Schedules = Static<typeof Schedules>

/**
 * POST /agent/v1/schedules: the checks that this agent may be given runs of, so that it can go on with them while the
 * service cannot be reached. `known` is the revision that it holds: where that still stands, `schedules` is null.
 */
export const SchedulesRequest = Type.Object({
  agentId: Uuid,
  capabilities: Capabilities,
  known: Nullable(Type.String({ maxLength: 100 })),
})
export type SchedulesRequest = Static<typeof SchedulesRequest>
export const SchedulesResponse = Type.Object({
  serverTime: EpochMs,
  revision: Type.String({ maxLength: 100 }),
  schedules: Nullable(Schedules),
})
export type SchedulesResponse = Static<typeof SchedulesResponse>
