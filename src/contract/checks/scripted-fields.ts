import { Type } from 'typebox'
import { Nullable, Text } from '../schema.ts'
import { checkFields, retryFields, variableFields, wholeMinuteFrequency } from './check-fields.ts'

export const Script = Nullable(Type.String({ maxLength: 1_048_576 }))
export const scriptPathField = {
  scriptPath: Type.Optional(Nullable(Type.String({ maxLength: 1000 }))),
}

const Dependency = Type.Object({
  path: Text({ maxLength: 1000 }),
  content: Type.String({ maxLength: 1_048_576 }),
})

/** Of the types whose checks are scripts, their script and name aside. */
export const scriptedFields = {
  ...checkFields,
  ...retryFields,
  ...variableFields,
  ...scriptPathField,
  frequency: wholeMinuteFrequency,
  dependencies: Type.Optional(Nullable(Type.Array(Dependency, { maxItems: 1000 }))),
}

/** `api.example.com`, or nothing. */
export const sslCheckDomainField = {
  sslCheckDomain: Type.Optional(Nullable(Type.String({ maxLength: 2048 }))),
}
