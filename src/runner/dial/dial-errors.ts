/** What dialing fails by, apart from what the system and the libraries say. */
type DialErrorCode =
  | 'EGRESS_FORBIDDEN'
  | 'NO_IPV4'
  | 'NO_IPV6'
  | 'PROXY_REFUSED'
  | 'CLIENT_CERTIFICATE_UNREADABLE'
  | 'CLIENT_CERTIFICATE_REFUSED'

interface DialErrorDetails {
  readonly told?: string | null
  readonly address?: string | null
  readonly cause?: unknown
}

export class DialError extends Error {
  readonly code: DialErrorCode
  /** What a result gives as the code: the target's or the library's own word, where there is one. */
  readonly told: string
  /** Whom it is about, where that is an address. */
  readonly address: string | null

  constructor(code: DialErrorCode, message: string, details: DialErrorDetails = {}) {
    super(message, { cause: details.cause })
    this.name = 'DialError'
    this.code = code
    this.told = details.told ?? code
    this.address = details.address ?? null
  }
}

/** No address is left that may be tried. `address` is the first that was refused; null where it was the name. */
export function egressForbidden(address: string | null): DialError {
  return new DialError('EGRESS_FORBIDDEN', 'the egress policy refuses the target', { address })
}

/** This machine has no address of the family to connect from. */
export function addressFamilyMissing(family: 'IPv4' | 'IPv6', cause: Error): DialError {
  const code = family === 'IPv6' ? 'NO_IPV6' : 'NO_IPV4'
  return new DialError(code, 'this machine has no address to connect from', { cause })
}

/** The proxy works, and did not open a way to the target. */
export function proxyRefused(status: number): DialError {
  return new DialError('PROXY_REFUSED', 'the proxy did not open a way to the target', {
    told: `HTTP ${status}`,
  })
}

/** A certificate that cannot be read, is not the key's, or whose passphrase is wrong. */
export function clientCertificateUnreadable(cause: unknown): DialError {
  return new DialError('CLIENT_CERTIFICATE_UNREADABLE', 'the client certificate cannot be read', {
    told: codeOf(cause),
    cause,
  })
}

/** The target asked for a client certificate, and refused the handshake after it. */
export function clientCertificateRefused(cause: Error): DialError {
  return new DialError('CLIENT_CERTIFICATE_REFUSED', 'the target refused the client certificate', {
    told: codeOf(cause),
    cause,
  })
}

/** The text that an error is known by to programs. */
export function codeOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null
  return typeof error.code === 'string' ? error.code : null
}
