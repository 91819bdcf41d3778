import { type Static, Type } from 'typebox'
import { Nullable } from '../schema.ts'
import { DateText } from '../wire-time.ts'
import { CheckSessionWithResults } from './check-session.ts'

const triggerFields = {
  id: Type.Integer(),
  token: Type.String({ description: 'the last part of the URL that runs it' }),
  created_at: DateText,
  called_at: Nullable(DateText),
  updated_at: Nullable(DateText),
}

/** service.md, Check trigger. */
export const CheckTrigger = Type.Object({ ...triggerFields, checkId: Type.String() })
export const GroupTrigger = Type.Object({ ...triggerFields, groupId: Type.Integer() })

/** What became of what a trigger's URL ran (semantics §2). `hasErrors`: our own fault, or not over within 30 s. */
export const TriggeredRun = Type.Object({
  hasFailures: Type.Boolean(),
  hasErrors: Type.Boolean(),
  isDegraded: Type.Boolean(),
  message: Nullable(Type.String({ description: 'why nothing was run; null where something was' })),
  status: CheckSessionWithResults.properties.status,
  results: CheckSessionWithResults.properties.results,
})
export type TriggeredRun = Static<typeof TriggeredRun>
