import { isIP, type Socket } from 'node:net'
import { connect, type SecureContext, type TLSSocket } from 'node:tls'
import type { TlsFacts } from '../../contract/connection.ts'
import { clientCertificateRefused, codeOf } from './dial-errors.ts'
import { tlsFacts } from './tls-facts.ts'
import { type TlsPeer, tlsPeer } from './tls-peer.ts'

export interface TlsOptions {
  readonly socket: Socket
  readonly context: SecureContext
  /** Whom the certificate must name. A name is sent as SNI, which cannot carry an IP literal. */
  readonly name: string
  readonly verify: boolean
  /** Epoch milliseconds, to count the certificates' days from. */
  readonly now: number
}

export type Secured = (error: Error | null, socket: TLSSocket | null, facts: TlsFacts | null) => void

/**
 * Shakes hands over a connected socket. A certificate that does not hold is an error with the verifier's code, and still
 * tells its facts. Returns what stops it, which is not called back.
 *
 * The groups for the key exchange are OpenSSL's own: its first two come with a key share each. A list with the hybrid
 * one but without its share saves a tenth of the processor time, and costs another round trip with every target that
 * prefers it, which would be measured as the target's.
 */
export function startTls({ socket, context, name, verify, now }: TlsOptions, done: Secured): () => void {
  let read: TlsPeer | null = null
  const peer = () => {
    read ??= tlsPeer(secured, context)
    return read
  }
  const secured = connect({
    socket,
    host: name,
    servername: isIP(name) === 0 ? name : '',
    secureContext: context,
    ALPNProtocols: ['http/1.1'],
    // The verdict is read below instead: a socket that Node rejects can no longer tell the facts of its certificate.
    rejectUnauthorized: false,
  })
  // The runtime asks this for a whole chain of objects, of which its check of the name reads the names.
  Object.defineProperty(secured, 'getPeerCertificate', { value: () => peer().names })
  const failed = (error: Error) => done(asClientCertificate(error, secured), null, null)
  secured.on('error', failed).once('secureConnect', () => {
    const holds = secured.authorized
    const facts = tlsFacts(secured, { peer: peer(), holds, now })
    secured.off('error', failed)
    if (holds || !verify) return done(null, secured, facts)
    abandon(secured)
    done(rejection(secured.authorizationError), null, facts)
  })
  return () => abandon(secured.off('error', failed))
}

function abandon(socket: TLSSocket): void {
  socket.on('error', () => {}).destroy()
}

/** Only a request for a certificate tells the algorithms that a client is asked to sign with. */
function asClientCertificate(error: Error, socket: TLSSocket): Error {
  const refused = codeOf(error)?.endsWith('_ALERT_HANDSHAKE_FAILURE') && socket.getSharedSigalgs().length > 0
  return refused ? clientCertificateRefused(error) : error
}

/** Node declares an Error here and gives the verifier's code as text. */
function rejection(reason: unknown): Error {
  return Object.assign(new Error('the certificate does not hold'), { code: String(reason) })
}
