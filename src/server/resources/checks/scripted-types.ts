import type { CheckTypeName } from '../../../contract/check-types.ts'

/** Their definitions hold scripts with all that these import. */
export const isScripted = (type: CheckTypeName): boolean =>
  ['AGENTIC', 'BROWSER', 'MULTI_STEP', 'PLAYWRIGHT'].includes(type)

/** What a request may send to make or replace one: what it may hold (to-row), and what is dropped of it. */
export const scriptedBodyBytes = 1280 * 1024
