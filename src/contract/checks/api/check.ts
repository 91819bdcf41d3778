import { type Static, Type } from 'typebox'
import { RetryStrategy } from '../../retry-strategy.ts'
import { Nullable, Text } from '../../schema.ts'
import { maxVariables, Variable } from '../../variable.ts'
import { checkFields } from '../check-fields.ts'
import { ApiRequest } from './request.ts'

const Script = Nullable(Type.String({ maxLength: 1_048_576 }), { default: null })
const thresholdMs = (preset: number) =>
  Nullable(Type.Number({ minimum: 0, maximum: 30_000 }), { default: preset })

const apiCheckFields = {
  ...checkFields,
  retryStrategy: Type.Optional(Nullable(RetryStrategy)),
  degradedResponseTime: thresholdMs(5000),
  maxResponseTime: thresholdMs(20_000),
  setupSnippetId: Nullable(Type.Integer(), { default: null }),
  tearDownSnippetId: Nullable(Type.Integer(), { default: null }),
  localSetupScript: Script,
  localTearDownScript: Script,
  environmentVariables: Type.Optional(Nullable(Type.Array(Variable, { maxItems: maxVariables }))),
}

const Name = Text({ minLength: 1, maxLength: 255 })

/** The body of a create operation, defaults filled: also how the definition is stored. */
export const ApiCheck = Type.Object({ name: Name, ...apiCheckFields, request: ApiRequest })
export type ApiCheck = Static<typeof ApiCheck>

/** An update replaces everything but a name or request that is left out (service.md: none required in the body). */
export const ApiCheckUpdate = Type.Object({
  name: Type.Optional(Name),
  ...apiCheckFields,
  request: Type.Optional(ApiRequest),
})
export type ApiCheckUpdate = Static<typeof ApiCheckUpdate>
