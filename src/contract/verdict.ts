import { type Static, Type } from 'typebox'
import { OneOf } from './schema.ts'

const verdictStates = ['passing', 'degraded', 'failing'] as const

/** What was decided of an outcome, and why (semantics §3). `reasons` is empty only when passing. */
export const Verdict = Type.Object({
  state: OneOf(verdictStates),
  overMaxResponseTime: Type.Boolean(),
  overDegradedResponseTime: Type.Boolean(),
  reasons: Type.Array(Type.String(), { maxItems: 2000 }),
})
export type Verdict = Static<typeof Verdict>
