import { type Static, Type } from 'typebox'
import { CheckTypeName } from '../check-types.ts'
import { Nullable, OneOf, Text } from '../schema.ts'
import { DateTimeText } from '../wire-time.ts'

const Tag = Text({ minLength: 1, maxLength: 255 })
const AllOfTags = Type.Union([Type.Array(Tag, { maxItems: 100 }), Tag])
const CheckIds = Type.Array(Text({ maxLength: 100 }), { maxItems: 1000 })

/** Which checks to run: of those named, or all, the ones that have all tags of one of the lists. */
export const targetFields = {
  matchTags: Type.Optional(
    Type.Array(AllOfTags, {
      maxItems: 100,
      description: 'all tags of one of the lists; a tag alone is a list',
    }),
  ),
  checkId: Type.Optional(Type.Union([CheckIds, Text({ maxLength: 100 })])),
}

/** Whatever its value, nothing is kept that would have to be fetched anew. */
export const refreshCache = Type.Boolean({ default: false, description: 'accepted; there is no such cache' })

export const CheckSessionTrigger = Type.Object({
  target: Type.Object(targetFields, { default: {} }),
  refreshCache,
})

const statuses = [
  'STARTED',
  'PROGRESS',
  'FAILED',
  'PASSED',
  'DEGRADED',
  'PROGRESS_FAILED',
  'PROGRESS_DEGRADED',
  'TIMED_OUT',
  'CANCELLED',
] as const

const WhyNot = Nullable(Type.String(), {
  description: 'why there is nothing to say of the target, such as `location-unavailable`',
})

/** How a run ended, or an attempt that another one followed; `reason` is ours. */
const CheckSessionResult = Type.Object({
  checkResultId: Type.String(),
  checkResultLink: Type.String(),
  checkId: Type.String(),
  checkType: CheckTypeName,
  name: Type.String(),
  runLocation: Type.String(),
  resultType: Nullable(OneOf(['FINAL', 'ATTEMPT', 'ALL']), { description: 'null where it was not run' }),
  hasErrors: Type.Boolean(),
  hasFailures: Type.Boolean(),
  isDegraded: Type.Boolean(),
  aborted: Type.Boolean(),
  isCancelled: Type.Boolean(),
  responseTime: Nullable(Type.Number({ description: 'milliseconds' })),
  startedAt: Nullable(DateTimeText),
  stoppedAt: Nullable(DateTimeText),
  reason: WhyNot,
})
export type CheckSessionResult = Static<typeof CheckSessionResult>

const sessionFields = {
  checkSessionId: Type.String(),
  checkSessionLink: Type.String(),
  checkId: Type.String(),
  checkType: CheckTypeName,
  name: Type.String(),
  status: OneOf(statuses),
  startedAt: DateTimeText,
  stoppedAt: Nullable(DateTimeText),
  timeElapsed: Type.Number({ description: 'milliseconds' }),
  runLocations: Type.Array(Type.String()),
  runSource: Nullable(Type.String()),
}

export const CheckSession = Type.Object(sessionFields)
export type CheckSession = Static<typeof CheckSession>
export const CheckSessions = Type.Object({ sessions: Type.Array(CheckSession) })
export const CheckSessionWithResults = Type.Object({
  ...sessionFields,
  results: Type.Array(CheckSessionResult),
})
export type CheckSessionWithResults = Static<typeof CheckSessionWithResults>

/** How long to wait for the end of a session. */
export const CompletionQuery = Type.Object({
  maxWaitSeconds: Type.Number({ default: 30, minimum: 1, maximum: 30 }),
})
