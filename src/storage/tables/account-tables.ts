import type { Flag } from './flag.ts'

/** Accounts, what opens them, and what all their checks share. */
export interface AccountTables {
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
  /** How often what all checks of an account share has changed; no row: never (storage/definition-versions). */
  sharedSettings: { accountId: string; version: number }
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
}
