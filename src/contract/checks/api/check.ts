import { type Static, Type } from 'typebox'
import {
  CheckName,
  checkFields,
  retryFields,
  scriptFields,
  thresholdMs,
  variableFields,
} from '../check-fields.ts'
import { ApiRequest } from './request.ts'

const apiCheckFields = {
  ...checkFields,
  ...retryFields,
  degradedResponseTime: thresholdMs(5000, 30_000),
  maxResponseTime: thresholdMs(20_000, 30_000),
  ...scriptFields,
  ...variableFields,
}

/** The body of a create operation, defaults filled: also how the definition is stored. */
export const ApiCheck = Type.Object({ name: CheckName, ...apiCheckFields, request: ApiRequest })
export type ApiCheck = Static<typeof ApiCheck>

/** An update replaces everything but a name or request that is left out (service.md: none required in the body). */
export const ApiCheckUpdate = Type.Object({
  name: Type.Optional(CheckName),
  ...apiCheckFields,
  request: Type.Optional(ApiRequest),
})
export type ApiCheckUpdate = Static<typeof ApiCheckUpdate>
