import { errors } from 'undici'
import type { FailureClass, NetworkFailure } from '../contract/failure.ts'
import type { Phase } from '../contract/timings.ts'
import { AppError } from '../lib/app-error.ts'

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
  CERT_REVOKED: 'tls-revoked',
  HOSTNAME_MISMATCH: 'tls-hostname',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls-hostname',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls-self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls-untrusted',
  UNABLE_TO_GET_ISSUER_CERT: 'tls-untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls-untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls-untrusted',
  CERT_CHAIN_TOO_LONG: 'tls-untrusted',
  CERT_SIGNATURE_FAILURE: 'tls-untrusted',
  CERT_UNTRUSTED: 'tls-untrusted',
  CERT_REJECTED: 'tls-untrusted',
  INVALID_CA: 'tls-untrusted',
  INVALID_PURPOSE: 'tls-untrusted',
  PATH_LENGTH_EXCEEDED: 'tls-untrusted',
  UND_ERR_INVALID_ARG: 'invalid-request',
  UND_ERR_NOT_SUPPORTED: 'invalid-request',
  UND_ERR_HEADERS_OVERFLOW: 'headers-too-large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'truncated',
}

/** The answers of a resolver: c-ares' own codes and getaddrinfo's. Its other codes are dns-failed. */
const dnsClasses: Readonly<Record<string, FailureClass>> = {
  ENOTFOUND: 'dns-nxdomain',
  ENODATA: 'dns-no-address',
  ESERVFAIL: 'dns-servfail',
  ETIMEOUT: 'dns-timeout',
  ETIMEDOUT: 'dns-timeout',
}

/** What this machine has run out of, or cannot do: never the target's fault. */
const ownCodes: ReadonlySet<string> = new Set([
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'ENOBUFS',
  'EADDRNOTAVAIL',
  'EADDRINUSE',
  'EAFNOSUPPORT',
  'EDESTRUCTION',
  'ECANCELLED',
])

const sentences: Readonly<Record<FailureClass, string>> = {
  'invalid-request': 'The request cannot be sent as it is written',
  'dns-nxdomain': 'The host name does not exist',
  'dns-servfail': 'The name server failed to answer for the host name',
  'dns-no-address': 'The host name has no address of the IP family asked for',
  'dns-timeout': 'The name servers did not answer in time',
  'dns-failed': 'The host name could not be looked up',
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
  'tls-untrusted': 'The certificate of the target was not issued by a trusted authority',
  'tls-revoked': 'A certificate of the target is revoked',
  'tls-handshake': 'The TLS handshake failed',
  'send-timeout': 'The target did not take the request in time',
  'first-byte-timeout': 'The target did not begin to answer in time',
  'body-timeout': 'The target did not end its answer in time',
  truncated: 'The answer ended before it was complete',
  'http-malformed': 'The answer is not valid HTTP',
  'headers-too-large': 'The headers of the answer are too large',
  decompression: 'The body of the answer could not be decompressed',
  'too-many-redirects': 'There were too many redirects',
  'redirect-invalid': 'The target redirects to an address that cannot be requested',
}

export function failure(
  failureClass: FailureClass,
  phase: Phase | null,
  code: string | null = null,
): NetworkFailure {
  return { class: failureClass, code, message: sentences[failureClass], phase }
}

/** The attempt ran out of time in this phase. */
export function timeoutIn(phase: Phase): NetworkFailure {
  return failure(timeoutClasses[phase], phase)
}

/** Whether the attempt ended because somebody did not answer in time. */
export function isTimeout(cause: NetworkFailure): boolean {
  return cause.phase !== null && timeoutClasses[cause.phase] === cause.class
}

/** What an error says of the target, by its code. @throws AppError RUNNER_FAULT when the fault is our own. */
export function failureOf(error: unknown, phase: Phase | null): NetworkFailure {
  if (error instanceof errors.HTTPParserError) return failure(parserClass(error), phase)
  const code = codeOf(error)
  const found = code === null || isOwn(code) ? null : classify(code, phase)
  if (found === null) {
    throw new AppError('RUNNER_FAULT', 'The agent could not carry out the request', { cause: error })
  }
  return failure(found, phase, code)
}

/** The runtime's own codes are slips of ours, those of its TLS aside. */
function isOwn(code: string): boolean {
  return ownCodes.has(code) || /^ERR_(?!SSL_|TLS_)/.test(code)
}

/** The parser's errors carry no code. What it stumbled over is empty when it is the end of the input. */
function parserClass(error: errors.HTTPParserError): FailureClass {
  return 'data' in error && error.data === '' ? 'truncated' : 'http-malformed'
}

function codeOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null
  return typeof error.code === 'string' ? error.code : null
}

function classify(code: string, phase: Phase | null): FailureClass | null {
  if (phase === 'dns') return dnsClasses[code] ?? 'dns-failed'
  // The system gave up on a connection by itself.
  if (code === 'ETIMEDOUT') return phase === null ? null : timeoutClasses[phase]
  if (code === 'UND_ERR_SOCKET') return phase === 'download' ? 'truncated' : 'closed'
  const known = classes[code]
  if (known) return known
  return phase === 'tls' || code.startsWith('ERR_SSL_') ? 'tls-handshake' : null
}
