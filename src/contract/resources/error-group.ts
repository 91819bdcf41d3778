import { type Static, Type } from 'typebox'
import { Nullable } from '../schema.ts'
import { DateText, DateTimeText } from '../wire-time.ts'

const shared = {
  id: Type.String(),
  errorHash: Type.String({ description: 'of the cleaned message' }),
  rawErrorMessage: Nullable(Type.String({ description: 'of the newest event' })),
  cleanedErrorMessage: Type.String(),
  archivedUntilNextEvent: Type.Boolean(),
  rootCauseAnalyses: Type.Array(Type.Unknown(), { description: 'there are none in a self-hosted service' }),
}

/** service.md, Error group. */
export const ErrorGroup = Type.Object({
  ...shared,
  checkId: Type.String(),
  firstSeen: DateText,
  lastSeen: DateText,
})
export type ErrorGroup = Static<typeof ErrorGroup>

/** As ErrorGroup, of the tests of an account. */
export const TestSessionErrorGroup = Type.Object({
  ...shared,
  projectId: Nullable(Type.String(), { description: 'null: there are no projects' }),
  environments: Nullable(Type.Array(Type.String())),
  firstSeen: DateTimeText,
  lastSeen: DateTimeText,
  pwtMetadata: Nullable(Type.Array(Type.Unknown())),
})
export type TestSessionErrorGroup = Static<typeof TestSessionErrorGroup>

/** What is left out stays as it is. */
export const ErrorGroupUpdate = Type.Object({
  archiveForEver: Type.Optional(Type.Boolean({ description: 'no event ends it' })),
  archivedUntilNextEvent: Type.Optional(Type.Boolean()),
})
export type ErrorGroupUpdate = Static<typeof ErrorGroupUpdate>
