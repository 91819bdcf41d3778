import type { Static, TSchema } from 'typebox'
import { ApiObservation } from './checks/api/observation.ts'
import { ApiRequest } from './checks/api/request.ts'
import { OneOf } from './schema.ts'

/** Every type of a listing (service.md, shared value sets). */
export const checkTypeNames = [
  'AGENTIC',
  'API',
  'BROWSER',
  'HEARTBEAT',
  'ICMP',
  'MULTI_STEP',
  'TCP',
  'PLAYWRIGHT',
  'URL',
  'DNS',
] as const
export const CheckTypeName = OneOf(checkTypeNames)
export type CheckTypeName = Static<typeof CheckTypeName>

/** The types that an agent can carry out: what is asked of a runner, and what it sees. */
export const checkTypes = {
  API: { request: ApiRequest, observation: ApiObservation },
} as const satisfies Partial<Record<CheckTypeName, { request: TSchema; observation: TSchema }>>

export type CheckType = keyof typeof checkTypes

/** Whether any agent can carry out checks of this type; one of the others is kept, and has no runs. */
export const isRunnable = (type: CheckTypeName): type is CheckType => Object.hasOwn(checkTypes, type)
