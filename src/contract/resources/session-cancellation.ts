import { type Static, Type } from 'typebox'
import { Nullable, Text } from '../schema.ts'

const Id = Text({ maxLength: 100 })
const sequenceId = Type.Optional(
  Type.Union([Type.Array(Id, { maxItems: 1000 }), Id], {
    description: 'of the runs to call off, as their results name it; all of the session without',
  }),
)

/** Which runs of a session to call off; without a body all of them. */
export const SessionCancellation = Nullable(Type.Object({ sequenceId }), { default: null })
export type SessionCancellation = Static<typeof SessionCancellation>

/** One of the two ids says what to call off. */
export const Cancellation = Type.Object({
  checkSessionId: Type.Optional(Id),
  testSessionId: Type.Optional(Id),
  sequenceId,
})
export type Cancellation = Static<typeof Cancellation>
