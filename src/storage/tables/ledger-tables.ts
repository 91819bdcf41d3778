import type { Flag } from './flag.ts'

/** What is expected of the ledger of runs, and what was noticed in it. */
export interface LedgerTables {
  /** When a check was to run: slots later than `fromAt` are those of this row, up to and with the next row's `fromAt`. */
  checkSchedules: {
    checkId: string
    accountId: string
    fromAt: number
    /** `inactive`: no slots. `deleted`: none, and those before went with the check. */
    state: 'active' | 'inactive' | 'deleted'
    intervalMs: number
    phaseMs: number
    runParallel: Flag
    /** In the order of the round robin, JSON. */
    locations: string
    /** How many those are; 1 where there are none, so that SQL may divide by it. */
    turns: number
  }
  /** Checks of whose slots nothing was heard for three intervals. */
  overdueChecks: {
    checkId: string
    accountId: string
    /** The last sign of life, or when one was first expected. */
    sinceAt: number
    noticedAt: number
  }
  /** Locations where most runs end for a fault of our own. */
  illLocations: {
    /** Null for a data-center location. */
    accountId: string | null
    location: string
    /** What most of those runs gave as their reason. */
    reason: string
    sinceAt: number
  }
}
