/** 0 or 1: the same on both engines. */
export type Flag = 0 | 1

/** Instants are epoch milliseconds, ids text, definitions and details JSON as text (design: Storage). */
export interface Schema {
  /** Those that were applied (storage/migrations). */
  migrations: { name: string }
  accounts: { id: string; name: string; runtimeId: string; createdAt: number }
  apiKeys: {
    id: string
    accountId: string
    name: string
    hash: string
    masked: string
    createdAt: number
    lastUsedAt: number | null
  }
  privateLocations: {
    id: string
    accountId: string
    name: string
    slugName: string
    icon: string
    /** Sealed, unless it is empty. */
    proxyUrl: string | null
    createdAt: number
    updatedAt: number | null
  }
  /** A key stands for one private location, or for one data-center location (then `accountId` is null). */
  locationKeys: {
    id: string
    accountId: string | null
    privateLocationId: string | null
    location: string
    hash: string
    masked: string
    createdAt: number
  }
  agents: {
    id: string
    accountId: string | null
    location: string
    /** 1 for the agent of `picket up`, which serves what no other agent serves. */
    embedded: Flag
    version: string
    flavour: string
    checkTypes: string
    runtimes: string
    platform: string
    runtimeVersion: string
    firstSeenAt: number
    lastSeenAt: number
  }
  checks: {
    id: string
    accountId: string
    type: string
    name: string
    activated: Flag
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
  checkTags: { checkId: string; position: number; tag: string }
  /** Where a check runs: data-center ids and private-location slugs. */
  checkLocations: { checkId: string; location: string }
  /** The ledger: one row for each slot (check, location, dueAt). */
  checkRuns: {
    id: string
    accountId: string
    checkId: string
    checkType: string
    version: number
    location: string
    /** 1 where any account's runs at this location go to the same agents. */
    dataCenter: Flag
    /** The runtime its scripts need; null when it has none. */
    runtime: string | null
    dueAt: number
    intervalMs: number
    state: 'pending' | 'leased' | 'done'
    attempt: number
    attemptAt: number
    firstStartedAt: number | null
    agentId: string | null
    leaseUntil: number | null
    outcome: 'passed' | 'degraded' | 'failed' | 'missed' | 'errored' | null
    reason: string | null
    createdAt: number
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
  }
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
  locationMetrics: {
    accountId: string | null
    location: string
    at: number
    queueSize: number
    oldestScheduledCheckRunMs: number
  }
  /** Of the account: every check has them. */
  variables: {
    accountId: string
    key: string
    /** Sealed where `secret` is 1. */
    value: string
    locked: Flag
    secret: Flag
    createdAt: number
    updatedAt: number | null
  }
  /** PEM texts; `key` and `passphrase` are sealed. */
  clientCertificates: {
    id: string
    accountId: string
    host: string
    cert: string
    key: string
    passphrase: string | null
    ca: string | null
    createdAt: number
  }
  /** One row: a text that only the key of all sealed values opens. */
  secretKeyProofs: { id: number; sealed: string; createdAt: number }
  agentErrorReports: {
    id: string
    accountId: string | null
    location: string
    message: string
    stack: string
    agentVersion: string
    platform: string
    runtimeVersion: string
    receivedAt: number
  }
}
