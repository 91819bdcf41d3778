import { type Static, Type } from 'typebox'
import { Text } from './schema.ts'

/** service.md: environment variable arrays hold at most this many entries. */
export const maxVariables = 100

/** A variable of a check, a group or the account (service.md, environment variable entry). A secret's value is told to nobody. */
export const Variable = Type.Object({
  key: Text({ minLength: 1, maxLength: 255 }),
  value: Type.String({ default: '', maxLength: 65_536 }),
  locked: Type.Boolean({ default: false }),
  secret: Type.Boolean({ default: false }),
})
export type Variable = Static<typeof Variable>
