import { type Static, Type } from 'typebox'
import { Nullable, Text } from '../schema.ts'
import { DateTimeText } from '../wire-time.ts'

/** Code that setup and teardown of checks and groups share. */
export const SnippetBody = Type.Object({
  name: Text({ minLength: 1, maxLength: 255 }),
  script: Type.String({ maxLength: 262_144 }),
})
export type SnippetBody = Static<typeof SnippetBody>

export const Snippet = Type.Object({
  id: Type.Integer(),
  ...SnippetBody.properties,
  created_at: DateTimeText,
  updated_at: Nullable(DateTimeText),
})
export type Snippet = Static<typeof Snippet>
