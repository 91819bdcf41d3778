import type { FailureClass, NetworkFailure } from '../contract/failure.ts'
import type { Phase } from '../contract/timings.ts'
import { AppError } from '../lib/app-error.ts'
import type { Obstacle } from '../rules/template/unfillable.ts'
import { codeOf, DialError } from './dial/dial-errors.ts'

const timeoutClasses = {
  dns: 'dns-timeout',
  connect: 'connect-timeout',
  tls: 'tls-timeout',
  send: 'send-timeout',
  firstByte: 'first-byte-timeout',
  download: 'body-timeout',
} as const satisfies Record<Phase, FailureClass>

/** Codes that mean the same in whatever phase they come. */
const classes: Readonly<Record<string, FailureClass>> = {
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EHOSTDOWN: 'unreachable',
  ENETDOWN: 'unreachable',
  EACCES: 'unreachable',
  EPERM: 'unreachable',
  EINVAL: 'unreachable',
  ECONNRESET: 'reset',
  ECONNABORTED: 'reset',
  EPIPE: 'reset',
  EPROTO: 'tls-handshake',
  CERT_HAS_EXPIRED: 'tls-expired',
  CERT_NOT_YET_VALID: 'tls-not-yet-valid',
  HOSTNAME_MISMATCH: 'tls-hostname',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls-hostname',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls-self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls-untrusted',
  UNABLE_TO_GET_ISSUER_CERT: 'tls-issuer-missing',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls-issuer-missing',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls-issuer-missing',
  CERT_CHAIN_TOO_LONG: 'tls-untrusted',
  CERT_SIGNATURE_FAILURE: 'tls-untrusted',
  CERT_UNTRUSTED: 'tls-untrusted',
  CERT_REJECTED: 'tls-untrusted',
  INVALID_CA: 'tls-untrusted',
  INVALID_PURPOSE: 'tls-untrusted',
  PATH_LENGTH_EXCEEDED: 'tls-untrusted',
  CLIENT_CERTIFICATE_UNREADABLE: 'tls-client-certificate',
  CLIENT_CERTIFICATE_REFUSED: 'tls-client-certificate',
  REQUEST_INVALID: 'invalid-request',
  HTTP_MALFORMED: 'http-malformed',
  HTTP_HEADERS_TOO_LARGE: 'headers-too-large',
  HTTP_TRUNCATED: 'truncated',
  HTTP_CLOSED: 'closed',
  EGRESS_FORBIDDEN: 'egress-forbidden',
  PROXY_REFUSED: 'proxy-refused',
}

/** The answers of a resolver: c-ares' own codes and getaddrinfo's. Its other codes are dns-failed. */
const dnsClasses: Readonly<Record<string, FailureClass>> = {
  ENOTFOUND: 'dns-nxdomain',
  ENODATA: 'dns-no-address',
  ESERVFAIL: 'dns-servfail',
  ETIMEOUT: 'dns-timeout',
  ETIMEDOUT: 'dns-timeout',
}

/** What a target can only mean with the certificate that we show, or do not show (RFC 8446 §6.2). */
const certificateAlert =
  /_ALERT_(?:BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_(?:REVOKED|EXPIRED|UNKNOWN|REQUIRED)|UNKNOWN_CA|ACCESS_DENIED|NO_CERTIFICATE)$/

/** Sockets and ports are what this process has too few of. */
const socketCodes: ReadonlySet<string> = new Set([
  'EMFILE',
  'ENFILE',
  'ENOBUFS',
  'EADDRNOTAVAIL',
  'EADDRINUSE',
])

/** A network that this machine has no part in. */
const familyTexts: Readonly<Record<string, string>> = {
  NO_IPV4: 'This machine has no IPv4 address to connect from: give it one, or let the check use IPv6',
  NO_IPV6: 'This machine has no IPv6 address to connect from: give it one, or let the check use IPv4',
}

/** What this machine cannot do: never the target's fault. */
const ownCodes: ReadonlySet<string> = new Set(['ENOMEM', 'EAFNOSUPPORT', 'EDESTRUCTION', 'ECANCELLED'])

const sentences: Readonly<Record<FailureClass, string>> = {
  'variable-missing': 'The request names a variable that is not defined',
  'template-invalid': 'A template of the request cannot be filled in',
  'invalid-request': 'The request cannot be sent as it is written',
  'dns-nxdomain': 'The host name does not exist',
  'dns-servfail': 'The name server failed to answer for the host name',
  'dns-no-address': 'The host name has no address of the IP family asked for',
  'dns-timeout': 'The name servers did not answer in time',
  'dns-failed': 'The host name could not be looked up',
  'egress-forbidden': 'The egress policy of the agent does not allow the address',
  'proxy-refused': 'The proxy did not open a way to the target',
  refused: 'The target refused the connection',
  unreachable: 'There is no way to the target',
  'connect-timeout': 'The target did not accept the connection in time',
  reset: 'The target broke off the connection',
  closed: 'The target closed the connection without an answer',
  'tls-timeout': 'The TLS handshake did not end in time',
  'tls-expired': 'A certificate of the target has expired',
  'tls-not-yet-valid': 'A certificate of the target is not valid yet',
  'tls-hostname': 'The certificate of the target is for another name',
  'tls-self-signed': 'The certificate of the target is self-signed',
  'tls-issuer-missing':
    'The target does not send the certificate that issued its own, or the issuer is not trusted',
  'tls-untrusted': 'The certificate of the target was not issued by a trusted authority',
  'tls-client-certificate': 'The target did not accept the client certificate, or asks for one',
  'tls-handshake': 'The TLS handshake failed',
  'send-timeout': 'The target did not take the request in time',
  'first-byte-timeout': 'The target did not begin to answer in time',
  'body-timeout': 'The target did not end its answer in time',
  truncated: 'The answer ended before it was complete',
  'http-malformed': 'The answer is not valid HTTP',
  'headers-too-large': 'The headers of the answer are too large',
  decompression: 'The body of the answer could not be decompressed',
  'too-many-redirects': 'There were too many redirects',
  'redirect-loop': 'The target redirects in a circle',
  'redirect-downgrade': 'The target redirects from https to http',
  'redirect-invalid': 'The target redirects to an address that cannot be requested',
}

/** The other reason for tls-client-certificate: nobody was asked. */
const unreadable = 'The client certificate cannot be read, or its passphrase is wrong'

export function failure(
  failureClass: FailureClass,
  phase: Phase | null,
  code: string | null = null,
): NetworkFailure {
  return { class: failureClass, code, message: sentences[failureClass], phase }
}

/** There is no request that could be sent: a template of it cannot be filled in. */
export function unfilled(obstacle: Obstacle): NetworkFailure {
  const message =
    obstacle.kind === 'variable-missing'
      ? `The request names the variable ${obstacle.name}, which is not defined`
      : obstacle.reason
  return { ...failure(obstacle.kind, null), message }
}

/** The attempt ran out of time in this phase. */
export function timeoutIn(phase: Phase): NetworkFailure {
  return failure(timeoutClasses[phase], phase)
}

/** Whether the attempt ended because somebody did not answer in time. */
export function isTimeout(cause: NetworkFailure): boolean {
  return cause.phase !== null && timeoutClasses[cause.phase] === cause.class
}

/**
 * What an error says of the target, by its code.
 * @throws AppError when the fault is our own: OUT_OF_SOCKETS, ADDRESS_FAMILY_MISSING, RUNNER_FAULT, or the error itself
 * where it is one already
 */
export function failureOf(error: unknown, phase: Phase | null): NetworkFailure {
  if (error instanceof AppError) throw error
  const code = codeOf(error)
  throwIfShort(code, error)
  const found = code === null || isOwn(code) ? null : classify(code, phase)
  if (found === null) {
    throw new AppError('RUNNER_FAULT', 'The agent could not carry out the request', { cause: error })
  }
  return error instanceof DialError ? dialFailure(found, phase, error) : failure(found, phase, code)
}

/** Of sockets, ports or addresses of its own. */
function throwIfShort(code: string | null, cause: unknown): void {
  if (code === null) return
  if (socketCodes.has(code)) {
    throw new AppError('OUT_OF_SOCKETS', 'The agent has no socket left for a connection', { cause })
  }
  const missing = familyTexts[code]
  if (missing !== undefined) throw new AppError('ADDRESS_FAMILY_MISSING', missing, { cause })
}

/** Of a failed dialing more is known than its class. */
function dialFailure(failureClass: FailureClass, phase: Phase | null, error: DialError): NetworkFailure {
  const found = failure(failureClass, phase, error.told)
  if (error.code === 'CLIENT_CERTIFICATE_UNREADABLE') return { ...found, message: unreadable }
  if (error.address === null) return found
  return { ...found, message: `The egress policy of the agent does not allow ${error.address}` }
}

/** The runtime's own codes are slips of ours, those of its TLS aside. */
function isOwn(code: string): boolean {
  return ownCodes.has(code) || /^ERR_(?!SSL_|TLS_)/.test(code)
}

function classify(code: string, phase: Phase | null): FailureClass | null {
  if (phase === 'dns') return dnsClasses[code] ?? 'dns-failed'
  // The system gave up on a connection by itself.
  if (code === 'ETIMEDOUT') return phase === null ? null : timeoutClasses[phase]
  const known = classes[code]
  if (known) return known
  if (certificateAlert.test(code)) return 'tls-client-certificate'
  return phase === 'tls' || code.startsWith('ERR_SSL_') ? 'tls-handshake' : null
}
