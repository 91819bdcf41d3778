import { type Static, Type } from 'typebox'
import { AssertionResult } from './assertion.ts'
import { Outcome } from './outcome.ts'
import { Location } from './run.ts'
import { EpochMs, Nullable, OneOf, Uuid } from './schema.ts'
import { Verdict } from './verdict.ts'

/** FINAL moves status, alerts and metrics; ATTEMPT was followed by a retry (semantics §4). */
const resultTypes = ['FINAL', 'ATTEMPT'] as const

/** Why a slot was not run at all. */
const missedReasons = ['late', 'not-claimed', 'service-down', 'location-unavailable'] as const

/** Why a run says nothing about its target: the fault is ours. */
const erroredReasons = [
  'agent-fault',
  'definition-missing',
  'event-loop-stall',
  'resolver-unreachable',
  'no-route',
  'no-egress',
  'proxy-unusable',
  'out-of-sockets',
  'out-of-memory',
] as const
export type ErroredReason = (typeof erroredReasons)[number]

const Judged = Type.Object({
  kind: Type.Literal('judged'),
  outcome: Outcome,
  assertions: Type.Array(AssertionResult, { maxItems: 1000 }),
  verdict: Verdict,
})
const Missed = Type.Object({ kind: Type.Literal('missed'), reason: OneOf(missedReasons) })
const Errored = Type.Object({
  kind: Type.Literal('errored'),
  reason: OneOf(erroredReasons),
  message: Type.String({ maxLength: 1000 }),
})

/** How one attempt ended. */
export const Conclusion = Type.Union([Judged, Missed, Errored])
export type Conclusion = Static<typeof Conclusion>

/** One attempt as an agent reports it. `id` is the hash of run and attempt: the same attempt is one result. */
export const Result = Type.Object({
  id: Uuid,
  runId: Uuid,
  checkId: Uuid,
  version: Type.Integer({ minimum: 1 }),
  location: Location,
  dueAt: EpochMs,
  attempt: Type.Integer({ minimum: 1, maximum: 1000 }),
  resultType: OneOf(resultTypes),
  retryAt: Nullable(EpochMs, { description: 'when the next attempt is due; null for FINAL' }),
  retryElsewhere: Type.Boolean({
    default: false,
    description: 'with this the agent gives the run back: the service says where the next attempt is made',
  }),
  startedAt: EpochMs,
  stoppedAt: EpochMs,
  queueUs: Type.Integer({
    minimum: 0,
    description: "µs from when it was due to its start: the agent's own waiting",
  }),
  conclusion: Conclusion,
})
export type Result = Static<typeof Result>
