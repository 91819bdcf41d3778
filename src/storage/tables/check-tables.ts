import type { Flag } from './flag.ts'

/** What is to be run. */
export interface CheckTables {
  checks: {
    id: string
    accountId: string
    type: string
    name: string
    activated: Flag
    groupId: number | null
    /** Goes up with every update; runs name the version they were planned for. */
    version: number
    /** JSON; in it the values of secret variables are sealed. */
    definition: string
    url: string | null
    intervalMs: number
    phaseMs: number
    /** Every slot before this one was planned; null while the check does not run. */
    nextDueAt: number | null
    createdAt: number
    updatedAt: number | null
  }
  checkGroups: {
    id: number
    accountId: string
    name: string
    /** JSON; in it the values of secret variables are sealed. */
    definition: string
    createdAt: number
    updatedAt: number | null
  }
  checkGroupTags: { groupId: number; position: number; tag: string }
  checkTags: { checkId: string; position: number; tag: string }
  /** Where a check runs: data-center ids and private-location slugs. */
  checkLocations: { checkId: string; location: string }
}
