/** 0 or 1: the same on both engines. */
export type Flag = 0 | 1

export type DocumentKind =
  | 'alert-channel'
  | 'dashboard'
  | 'dashboard-incident'
  | 'maintenance-window'
  | 'snippet'
  | 'status-page'
  | 'status-page-incident'
  | 'status-page-service'
  | 'status-page-subscription'

/** Instants are epoch milliseconds, ids text, definitions and details JSON as text (design: Storage). */
export interface Schema {
  /** Those that were applied (storage/migrations). */
  migrations: { name: string }
  accounts: { id: string; name: string; runtimeId: string; createdAt: number }
  apiKeys: {
    id: string
    accountId: string
    name: string
    /** Whose it is: a person's, of whom there may be several, or a service's. */
    kind: 'user' | 'service'
    /** The person's name; null for a service key. */
    userName: string | null
    hash: string
    masked: string
    createdAt: number
    lastUsedAt: number | null
    /** From then on it opens nothing. */
    revokedAt: number | null
  }
  /** Requests that a caller made in one window of a rate limit, by all servers together (PostgreSQL). */
  rateLimitCounts: { windowStart: number; caller: string; requests: number }
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
  /** Resources that are read and written whole, and that no query joins (storage/documents). */
  documents: {
    kind: DocumentKind
    id: string
    accountId: string
    /** The document that it belongs to and is deleted with. */
    parentId: string | null
    /** JSON. */
    definition: string
    createdAt: number
    updatedAt: number | null
  }
  /** Texts by which a document is found, each of one document of its kind. */
  documentKeys: { kind: DocumentKind; key: string; documentId: string }
  /** Which documents name which others, for those who look from the other end (storage/document-links). */
  documentLinks: { kind: DocumentKind; documentId: string; targetId: string }
  /** The last number given out, for ids that are numbers. */
  counters: { name: string; last: number }
  /** A channel tells of a check or of a group: one of the two ids is null. */
  alertChannelSubscriptions: {
    id: number
    channelId: number
    checkId: string | null
    groupId: number | null
    activated: Flag
    /** Among those of its check or group, and among those of its channel. */
    position: number
    channelPosition: number
  }
  checkAlerts: {
    id: string
    accountId: string
    checkId: string
    checkType: string
    /** That the check had at the time. */
    name: string
    alertType: string
    checkResultId: string | null
    location: string
    responseTimeMs: number | null
    error: string | null
    statusCode: string | null
    startedAt: number
    createdAt: number
  }
  alertNotifications: {
    id: string
    accountId: string
    checkAlertId: string
    checkId: string
    checkType: string
    checkResultId: string | null
    channelId: number
    type: string
    /** The channel's config as it was used, JSON, sealed. */
    config: string
    status: 'IN_PROGRESS' | 'SUCCESS' | 'FAILURE' | 'RATE_LIMITED'
    result: string | null
    sentAt: number | null
    createdAt: number
  }
  /** What became of a ping, or of its not coming (semantics §7). */
  heartbeatEvents: {
    id: string
    accountId: string
    checkId: string
    state: 'EARLY' | 'RECEIVED' | 'GRACE' | 'LATE' | 'FAILING'
    at: number
    source: string | null
    userAgent: string | null
  }
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
