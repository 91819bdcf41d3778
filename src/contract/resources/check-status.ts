import { type Static, Type } from 'typebox'
import { Nullable } from '../schema.ts'
import { timestamps } from '../wire-time.ts'

/** service.md, Check status. Response times in milliseconds. */
export const CheckStatusResource = Type.Object({
  name: Type.String(),
  checkId: Type.String(),
  hasFailures: Type.Boolean(),
  hasErrors: Type.Boolean(),
  isDegraded: Type.Boolean(),
  longestRun: Nullable(Type.Number()),
  shortestRun: Nullable(Type.Number()),
  lastRunLocation: Nullable(Type.String()),
  lastCheckRunId: Nullable(Type.String()),
  sslDaysRemaining: Nullable(Type.Number()),
  reason: Type.Optional(Type.String({ description: 'why hasErrors is true where runs do not tell it' })),
  overdueSince: Type.Optional(
    Type.String({
      description: 'ours: the last sign of life of a check that should have results and has none',
    }),
  ),
  ...timestamps,
})
export type CheckStatusResource = Static<typeof CheckStatusResource>
