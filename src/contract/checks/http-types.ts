import type { CheckType } from '../check-types.ts'

/** The types whose check is one HTTP request. */
export type HttpCheckType = Extract<CheckType, 'API' | 'HEARTBEAT' | 'URL'>
