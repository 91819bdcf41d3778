import type { Family } from '../dial/hosts-file.ts'

export interface PingTarget {
  readonly address: string
  readonly family: Family
  /** 1 to 50. */
  readonly count: number
}

/** What came of one echo request. `rttMs` is null where no reply came in time. */
export interface Echo {
  readonly sequence: number
  readonly rttMs: number | null
  readonly ttl: number | null
}

/** Somebody said that a request did not arrive; `from` is null for this machine. */
export interface Refused {
  readonly code: string
  readonly from: string | null
}

export interface Pinged {
  /** In their order, from sequence 1; one whose reply could still come when it was ended is left out. */
  readonly echoes: readonly Echo[]
  readonly refused: readonly Refused[]
}

/**
 * Pings an address, one request every 500 ms, each of which is waited for 2 s. Ended by the signal it tells what is known
 * by then. Rejects with an error that carries the system's `code` where no request can be sent at all.
 */
export type Ping = (target: PingTarget, signal: AbortSignal) => Promise<Pinged>

export const intervalMs = 500
export const replyMs = 2000
/** Of one ping: routers do not tell more than once for each request, and others may not fill memory. */
export const maxRefused = 100
