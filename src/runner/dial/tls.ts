import type { Socket } from 'node:net'
import {
  checkServerIdentity,
  connect,
  createSecureContext,
  type DetailedPeerCertificate,
  getCACertificates,
  type PeerCertificate,
  type SecureContext,
  type TLSSocket,
} from 'node:tls'
import type { TlsFacts } from '../../contract/checks/api/observation.ts'

export interface TlsOptions {
  readonly socket: Socket
  readonly context: SecureContext
  /** A name or an IP literal: whom the certificate must name. */
  readonly peer: string
  /** Sent as SNI; empty for an IP literal, which SNI cannot carry. */
  readonly servername: string
  readonly verify: boolean
  /** Epoch milliseconds, to count the certificates' days from. */
  readonly now: number
}

export type Secured = (error: Error | null, socket: TLSSocket | null, facts: TlsFacts | null) => void

const dayMs = 86_400_000

/** One for all connections: making one for each costs a third of the throughput. */
export function createSharedContext(extraCa: readonly string[]): SecureContext {
  return extraCa.length === 0
    ? createSecureContext()
    : createSecureContext({ ca: [...getCACertificates('default'), ...extraCa] })
}

/**
 * Shakes hands over a connected socket. A certificate that does not hold is an error with the verifier's code, and
 * still tells its facts. Returns what stops it.
 */
export function startTls(options: TlsOptions, done: Secured): () => void {
  const { socket, context, peer, servername, verify, now } = options
  let chain: DetailedPeerCertificate | null = null
  const secured = connect({
    socket,
    host: peer,
    servername,
    secureContext: context,
    ALPNProtocols: ['http/1.1'],
    // The verdict is read below instead: a socket that Node rejects can no longer tell the facts of its certificate.
    rejectUnauthorized: false,
    checkServerIdentity: (name, certificate) => {
      if (isDetailed(certificate)) chain = certificate
      return checkServerIdentity(name, certificate)
    },
  })
  const failed = (error: Error) => done(error, null, null)
  secured.on('error', failed).once('secureConnect', () => {
    const facts = describe(secured, chain ?? secured.getPeerCertificate(true), now)
    if (secured.authorized || !verify) {
      secured.off('error', failed)
      return done(null, secured, facts)
    }
    secured.destroy()
    done(rejection(secured.authorizationError), null, facts)
  })
  return () =>
    secured
      .off('error', failed)
      .on('error', () => {})
      .destroy()
}

function isDetailed(certificate: PeerCertificate): certificate is DetailedPeerCertificate {
  return 'issuerCertificate' in certificate
}

/** Node declares an Error here and gives the verifier's code as text. */
function rejection(reason: unknown): Error {
  return Object.assign(new Error('the certificate does not hold'), { code: String(reason) })
}

function describe(socket: TLSSocket, chain: DetailedPeerCertificate, now: number): TlsFacts {
  return {
    protocol: socket.getProtocol() ?? 'unknown',
    cipher: socket.getCipher().name,
    daysRemaining: daysRemaining(chain, now),
  }
}

function daysRemaining(leaf: DetailedPeerCertificate, now: number): number | null {
  let earliest = Number.POSITIVE_INFINITY
  const seen = new Set<DetailedPeerCertificate>()
  let certificate: DetailedPeerCertificate | undefined = leaf
  // A root names itself as its issuer.
  while (certificate && !seen.has(certificate)) {
    seen.add(certificate)
    const until = Date.parse(certificate.valid_to)
    if (until < earliest) earliest = until
    certificate = certificate.issuerCertificate
  }
  return Number.isFinite(earliest) ? Math.floor((earliest - now) / dayMs) : null
}
