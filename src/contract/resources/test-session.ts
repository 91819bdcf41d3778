import { type Static, Type } from 'typebox'
import { CheckTypeName } from '../check-types.ts'
import { CursorList, cursorQuery } from '../cursor-list.ts'
import { RetryStrategy } from '../retry-strategy.ts'
import { Location } from '../run.ts'
import { Nullable, OneOf, Text } from '../schema.ts'
import { Variable } from '../variable.ts'
import { DateTimeText, InstantQuery } from '../wire-time.ts'
import { refreshCache, targetFields } from './check-session.ts'

const Fact = Type.Optional(Nullable(Text({ maxLength: 2000 })))

/** What was tested, and where it came from. */
const Metadata = Type.Object({
  environment: Type.Optional(Text({ maxLength: 255 })),
  repoUrl: Fact,
  commitId: Fact,
  commitOwner: Fact,
  commitMessage: Fact,
  branchName: Fact,
})
export type TestSessionMetadata = Static<typeof Metadata>

export const TestSessionTrigger = Type.Object({
  name: Text({ minLength: 1, maxLength: 255 }),
  runLocation: Location,
  target: Type.Object(
    { ...targetFields, allowDeactivated: Type.Boolean({ default: false }) },
    { default: {} },
  ),
  environmentVariables: Type.Array(Variable, {
    default: [],
    maxItems: 50,
    description: 'over those of the check, its group and the account',
  }),
  retryStrategy: Type.Optional(
    Nullable(RetryStrategy, { description: 'in the place of the own one of each check; null: no retries' }),
  ),
  refreshCache,
  metadata: Type.Optional(Metadata),
})
export type TestSessionTrigger = Static<typeof TestSessionTrigger>

const Status = OneOf(['RUNNING', 'FAILED', 'PASSED', 'CANCELLED'])

const ErrorGroupIds = Type.Array(Type.String(), { description: 'of test session error groups' })

const TestSessionResult = Type.Object({
  testSessionResultId: Type.String(),
  testSessionResultLink: Type.String(),
  checkId: Type.String(),
  checkType: CheckTypeName,
  name: Type.String(),
  runLocation: Type.String(),
  resultType: OneOf(['FINAL', 'ATTEMPT', 'PENDING']),
  status: Status,
  hasErrors: Type.Boolean(),
  hasFailures: Type.Boolean(),
  isDegraded: Type.Boolean(),
  aborted: Type.Boolean(),
  errorGroupIds: ErrorGroupIds,
  reason: Nullable(Type.String(), {
    description: 'why there is nothing to say of the target, such as `location-unavailable`',
  }),
})
export type TestSessionResult = Static<typeof TestSessionResult>

export const TestSession = Type.Object({
  testSessionId: Type.String(),
  testSessionLink: Type.String(),
  name: Type.String(),
  status: Status,
  startedAt: DateTimeText,
  stoppedAt: Nullable(DateTimeText),
  timeElapsed: Type.Number({ description: 'milliseconds' }),
  metadata: Metadata,
  errorGroupIds: ErrorGroupIds,
  results: Type.Array(TestSessionResult),
})
export type TestSession = Static<typeof TestSession>

const Statuses = Type.Optional(Type.Array(Status, { maxItems: 100, description: 'one of these' }))
const Names = Type.Optional(
  Type.Array(Text({ maxLength: 2000 }), { maxItems: 100, description: 'one of these' }),
)

/** Some clients name a list with brackets. */
export const TestSessionListQuery = Type.Object({
  ...cursorQuery,
  statuses: Statuses,
  'statuses[]': Statuses,
  branches: Names,
  'branches[]': Names,
  users: Names,
  'users[]': Names,
  providers: Names,
  'providers[]': Names,
  noUsers: Type.Optional(Type.Boolean({ description: 'those without a commit owner' })),
  errorGroupId: Type.Optional(
    Text({ maxLength: 100, description: 'those with a failure of this error group' }),
  ),
  from: Type.Optional(InstantQuery),
  to: Type.Optional(InstantQuery),
  textSearch: Type.Optional(Text({ maxLength: 255, description: 'a part of the name' })),
})

export type TestSessionListQuery = Static<typeof TestSessionListQuery>

const FactOrNull = Nullable(Type.String())
const Ids = Type.Array(Type.String({ description: 'of results' }))

const TestSessionListEntry = Type.Object({
  id: Type.String(),
  accountId: Type.String(),
  projectId: Type.Null(),
  name: Type.String(),
  provider: Type.String(),
  running: Ids,
  passed: Ids,
  failed: Ids,
  cancelled: Ids,
  status: Status,
  region: Type.String(),
  repoUrl: FactOrNull,
  commitId: FactOrNull,
  commitOwner: FactOrNull,
  commitMessage: FactOrNull,
  branchName: FactOrNull,
  environment: FactOrNull,
  startedAt: DateTimeText,
  stoppedAt: Nullable(DateTimeText),
  created_at: DateTimeText,
  updated_at: Nullable(DateTimeText),
})
export type TestSessionListEntry = Static<typeof TestSessionListEntry>
export const TestSessionList = CursorList(TestSessionListEntry)
