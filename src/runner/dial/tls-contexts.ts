import { createPrivateKey, hash, X509Certificate } from 'node:crypto'
import { createSecureContext, DEFAULT_CIPHERS, getCACertificates, type SecureContext } from 'node:tls'
import type { ClientCertificate } from '../../contract/client-certificate.ts'
import { clientCertificateUnreadable } from './dial-errors.ts'

const maxContexts = 100

/**
 * The runtime's own, without key exchange over a group of the target's making (DHE): it may be of 10,000 bits, and
 * holds up the event loop for as long as that takes. Browsers do not offer it either.
 */
const ciphers = `${DEFAULT_CIPHERS}:!kDHE`

/**
 * One context for all connections with the same trust and client certificate: making one for each costs a third of the
 * throughput. Trusted are the authorities of the runtime, those of NODE_EXTRA_CA_CERTS among them, and `extraCa`.
 */
export class TlsContexts {
  readonly #extraCa: readonly string[]
  readonly #plain: SecureContext
  readonly #byCertificate = new Map<string, SecureContext>()

  constructor(extraCa: readonly string[]) {
    this.#extraCa = extraCa
    this.#plain = createSecureContext({ ...trust(extraCa), ciphers })
  }

  /** @throws DialError CLIENT_CERTIFICATE_UNREADABLE */
  of(certificate: ClientCertificate | null): SecureContext {
    if (certificate === null) return this.#plain
    const { certificate: cert, key, passphrase, ca } = certificate
    // A digest, so that no key is kept besides those of the definitions.
    const name = hash('sha256', JSON.stringify([cert, key, passphrase, ca]))
    const context = this.#byCertificate.get(name) ?? this.#make(certificate)
    // A map keeps the order of insertion: put last again, the first is the one that waited longest.
    this.#byCertificate.delete(name)
    this.#byCertificate.set(name, context)
    if (this.#byCertificate.size > maxContexts) this.#forgetOldest()
    return context
  }

  #make(certificate: ClientCertificate): SecureContext {
    const { certificate: cert, key, passphrase, ca } = certificate
    try {
      checkReadable(certificate)
      const trusted = trust(ca === null ? this.#extraCa : [...this.#extraCa, ca])
      return createSecureContext({
        ...trusted,
        ciphers,
        cert,
        key,
        ...(passphrase !== null && { passphrase }),
      })
    } catch (error) {
      throw clientCertificateUnreadable(error)
    }
  }

  #forgetOldest(): void {
    const oldest = this.#byCertificate.keys().next()
    if (!oldest.done) this.#byCertificate.delete(oldest.value)
  }
}

/** A context passes over in silence what is empty or no certificate. */
function checkReadable({ certificate, key, passphrase, ca }: ClientCertificate): void {
  const own = new X509Certificate(certificate)
  const secret = createPrivateKey(passphrase === null ? key : { key, passphrase })
  if (!own.checkPrivateKey(secret)) throw new Error('the key is not that of the certificate')
  if (ca !== null) new X509Certificate(ca)
}

/** The runtime's own authorities need not be named, which is much faster, unless others are. */
function trust(extraCa: readonly string[]): { ca?: string[] } {
  return extraCa.length === 0 ? {} : { ca: [...getCACertificates('default'), ...extraCa] }
}
