import { type Static, Type } from 'typebox'
import { EpochMs, Nullable, OneOf, Text } from './schema.ts'

/** A ping that an agent took for a job that cannot reach the service (semantics §7). */
export const TakenPing = Type.Object({
  token: Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }),
  kind: OneOf(['start', 'success', 'fail']),
  exitCode: Nullable(Type.Integer({ minimum: 0, maximum: 255 })),
  at: Nullable(EpochMs, {
    description: "when it came, by the service's clock; null where the agent did not know that",
  }),
  source: Nullable(Text({ maxLength: 500 })),
  userAgent: Nullable(Text({ maxLength: 500 })),
  body: Nullable(Text({ maxLength: 10_000 })),
})
export type TakenPing = Static<typeof TakenPing>

/**
 * `ageMs`: since the ping came, as far as the agent can say that time passed. `at`: the same as an instant of the
 * service's clock, where the agent knows that when it sends it; it stays the same when it is sent again.
 */
export const RelayedPing = Type.Object({
  ageMs: Type.Integer({ minimum: 0 }),
  at: Type.Optional(Nullable(EpochMs)),
  ping: TakenPing,
})

export const maxPingsAnUpload = 200

/** POST /agent/v1/pings: in the order in which they came. Sending one again changes nothing. */
export const PingsRequest = Type.Object({
  agentId: Type.String({ maxLength: 100 }),
  pings: Type.Array(Type.Unknown(), {
    minItems: 1,
    maxItems: maxPingsAnUpload,
    description: 'of RelayedPing',
  }),
})

/** unknown-token: of no heartbeat that this agent may speak for. */
export const pingRefusals = ['unknown-token', 'too-old', 'invalid'] as const

/** What is refused is not to be sent again. */
export const PingsResponse = Type.Object({
  serverTime: EpochMs,
  accepted: Type.Integer({ minimum: 0 }),
  refused: Type.Array(
    Type.Object({
      index: Type.Integer({ minimum: 0 }),
      reason: OneOf(pingRefusals),
      token: Nullable(Type.String(), { description: 'null where it could not be read' }),
    }),
  ),
})
export type PingsResponse = Static<typeof PingsResponse>
