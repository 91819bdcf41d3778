import type { TriedAddress } from '../../contract/connection.ts'
import type { Phase } from '../../contract/timings.ts'
import type { Clock } from '../../lib/clock.ts'
import type { DnsQuery } from './dns-query.ts'
import type { NameServer } from './name-server.ts'
import type { DnsAnswer } from './read-message.ts'

/** How a question to name servers ended. */
export type Asked =
  | { readonly kind: 'answered'; readonly server: NameServer; readonly answer: DnsAnswer }
  /** The answer is too long for UDP. */
  | { readonly kind: 'truncated'; readonly server: NameServer }
  /** The system's error, or a DnsFault. */
  | { readonly kind: 'failed'; readonly error: Error }

/** Told as the asking goes on. */
export interface AskingWatcher {
  readonly onPhase: (phase: Phase) => void
  /** A name server, told once, when it is known what became of it. */
  readonly onTried: (tried: TriedAddress) => void
  readonly onSent: () => void
  /** A whole message is there: what reading it takes is not the server's time. */
  readonly onHeard: () => void
  readonly onUnfit: () => void
}

export interface AskingOptions {
  /** At least one; the preferred one first. */
  readonly servers: readonly NameServer[]
  readonly query: DnsQuery
  readonly clock: Clock
  readonly watcher: AskingWatcher
}

/** Calls back once, unless it is cut first. */
export type AskedListener = (asked: Asked) => void
