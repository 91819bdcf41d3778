import type { Flag } from './flag.ts'

/** What became of runs, and what is made of it. */
export interface ResultTables {
  checkResults: {
    id: string
    accountId: string
    checkId: string
    runId: string
    resultType: 'FINAL' | 'ATTEMPT'
    attempt: number
    location: string
    dueAt: number
    startedAt: number
    stoppedAt: number
    createdAt: number
    hasFailures: Flag
    hasErrors: Flag
    isDegraded: Flag
    overMaxResponseTime: Flag
    responseTimeMs: number | null
    /** The agent's Result as it came, JSON. */
    details: string
    /** 0 where no HTTP status came back. Null, as the next, in rows from before results were measured when stored. */
    statusCode: number | null
    /** What rules/rollup-measures takes of `details`, JSON. */
    measures: string | null
  }
  /** Figures of the FINAL results that started in an hour or a day and are alike in location, outcome and status. */
  resultRollups: {
    checkId: string
    span: 'hour' | 'day'
    startsAt: number
    location: string
    outcome: 'passed' | 'degraded' | 'failed' | 'errored'
    statusCode: number
    results: number
    retries: number
    /** A sketch (rules/rollup-sketch), JSON; null when nothing was measured. */
    total: string | null
    /** Sketches of the other measures by name, JSON. */
    measures: string
  }
  /** One row: hours before `until` are rolled up, and of that hour the checks up to `afterCheckId`. */
  rollupProgress: { id: number; until: number | null; afterCheckId: string }
  /** Results that were stored when their hour may have been rolled up. */
  lateResults: { resultId: string; checkId: string; hourAt: number }
  checkStatuses: {
    checkId: string
    accountId: string
    /** The fold of rules/status, JSON; empty in a row that was only locked so far (check-statuses). */
    status: string
    hasFailures: Flag
    hasErrors: Flag
    isDegraded: Flag
    createdAt: number
    updatedAt: number
  }
  /** Failing results whose cleaned messages are alike. */
  errorGroups: {
    id: string
    accountId: string
    /** Of a check's own runs, or of all tests of the account. */
    scope: 'check' | 'test'
    /** Of the first scope alone. */
    checkId: string | null
    errorHash: string
    rawErrorMessage: string
    cleanedErrorMessage: string
    firstSeen: number
    lastSeen: number
    events: number
    archivedUntilNextEvent: Flag
    archivedForEver: Flag
    /** Those of the tests' sessions, JSON. */
    environments: string
  }
}
