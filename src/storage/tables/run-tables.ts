import type { Flag } from './flag.ts'

/** The ledger of runs, and who asked for those that no schedule did. */
export interface RunTables {
  /** The ledger: one row for each slot (check, location, dueAt). */
  checkRuns: {
    id: string
    accountId: string
    checkId: string
    checkType: string
    /** Of its definition: of the check when it was planned, and of what an agent was to know when it claimed it. */
    version: number
    /** Where its attempt is to be made, or its last one was. */
    location: string
    /** Its slot's, where a retry is made elsewhere (semantics §4); null while it is there. */
    slotLocation: string | null
    /** 1 where any account's runs at this location go to the same agents. */
    dataCenter: Flag
    /** The runtime its scripts need; null when it has none. */
    runtime: string | null
    dueAt: number
    intervalMs: number
    /** `held`: it waits for other runs of its session to end first. */
    state: 'held' | 'pending' | 'leased' | 'done'
    attempt: number
    attemptAt: number
    firstStartedAt: number | null
    agentId: string | null
    leaseUntil: number | null
    outcome: 'passed' | 'degraded' | 'failed' | 'missed' | 'errored' | null
    reason: string | null
    createdAt: number
    /** What asked for it; null for what the schedule planned. */
    sessionId: string | null
    /** By what agents know its definition where that is not its check's own: then its results are its session's alone. */
    definitionId: string | null
    /** When its outcome was known; null for what was never to be run. */
    finishedAt: number | null
  }
  /** Slots that were never planned because the service was down: a range, not a row each. */
  missedSlots: {
    id: string
    checkId: string
    fromDueAt: number
    untilDueAt: number
    slots: number
    reason: string
  }
  /** What somebody asked to be run once: its runs name it. */
  sessions: {
    id: string
    accountId: string
    /** Of one check, of a group's checks, or a test that the status of checks takes no notice of. */
    kind: 'check' | 'group' | 'test'
    /** Of the first kind alone. */
    checkId: string | null
    name: string
    runSource: string | null
    /** What was asked for, JSON; in it the values of secret variables are sealed. */
    definition: string
    startedAt: number
    cancelledAt: number | null
  }
  /** A URL that runs one check, or one group's checks: one of the two ids is null. */
  triggers: {
    id: number
    accountId: string
    checkId: string | null
    groupId: number | null
    /** It opens nothing but this: kept as it is, since it is shown again. */
    token: string
    createdAt: number
    calledAt: number | null
    updatedAt: number | null
  }
}
