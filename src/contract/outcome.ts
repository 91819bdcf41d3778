import { type Static, Type } from 'typebox'
import { ApiEvidence, ApiObservation } from './checks/api/observation.ts'
import { NetworkFailure } from './failure.ts'
import { Phase, Timings } from './timings.ts'

const Observed = Type.Object({
  kind: Type.Literal('observed'),
  timings: Timings,
  observation: ApiObservation,
})
const Unreachable = Type.Object({
  kind: Type.Literal('unreachable'),
  timings: Timings,
  cause: NetworkFailure,
  evidence: ApiEvidence,
})
const TimedOut = Type.Object({
  kind: Type.Literal('timed-out'),
  timings: Timings,
  during: Phase,
  cause: NetworkFailure,
  evidence: ApiEvidence,
})

/** What a runner saw, or why it saw nothing. A dead target is a value here; only our own faults throw. */
export const Outcome = Type.Union([Observed, Unreachable, TimedOut])
export type Outcome = Static<typeof Outcome>
