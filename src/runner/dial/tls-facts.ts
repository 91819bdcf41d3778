import type { TLSSocket } from 'node:tls'
import type { TlsFacts } from '../../contract/connection.ts'
import type { TlsPeer } from './tls-peer.ts'

export interface TlsFactsOptions {
  readonly peer: TlsPeer
  /** The chain was verified, and holds. */
  readonly holds: boolean
  /** Epoch milliseconds, to count the certificates' days from. */
  readonly now: number
}

const dayMs = 86_400_000

/** What two sides agreed on, and how long the target's certificates still last. */
export function tlsFacts(socket: TLSSocket, options: TlsFactsOptions): TlsFacts {
  const until = firstExpiry(options)
  return {
    protocol: socket.getProtocol() ?? 'unknown',
    cipher: socket.getCipher().name,
    alpn: socket.alpnProtocol || null,
    daysRemaining: until === null ? null : Math.floor((until - options.now) / dayMs),
    firstExpiryAt: until !== null && until >= 0 ? until : null,
  }
}

/**
 * When the first certificate of the chain expires, epoch milliseconds. One that has expired in a chain that holds is not of the way that
 * was verified: servers go on sending cross-signed certificates that nobody needs any more.
 */
function firstExpiry({ peer, holds, now }: TlsFactsOptions): number | null {
  const expiries = peer.expiries.filter((until) => !holds || until > now)
  return expiries.length === 0 ? null : Math.min(...expiries)
}
