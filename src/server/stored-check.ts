import type { ApiCheck } from '../contract/checks/api/check.ts'
import type { Schema } from '../storage/schema.ts'

/** The definition of a stored check: it was validated before it was written, and is written nowhere else. */
export function storedCheck(row: Pick<Schema['checks'], 'definition'>): ApiCheck {
  return JSON.parse(row.definition) as ApiCheck
}

/** Everywhere a check runs, in the order in which a round robin takes them. */
export function locationsOf(check: Pick<ApiCheck, 'locations' | 'privateLocations'>): string[] {
  return [...(check.locations ?? []), ...(check.privateLocations ?? [])]
}
