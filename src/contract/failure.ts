import { type Static, Type } from 'typebox'
import { Nullable, OneOf } from './schema.ts'
import { Phase } from './timings.ts'

/** Why a target could not be reached or understood: a closed set, found by code, never by message text. */
const failureClasses = [
  'variable-missing',
  'template-invalid',
  'invalid-request',
  'dns-nxdomain',
  'dns-servfail',
  'dns-no-address',
  'dns-timeout',
  'dns-failed',
  'egress-forbidden',
  'proxy-refused',
  'refused',
  'unreachable',
  'connect-timeout',
  'reset',
  'closed',
  'tls-timeout',
  'tls-expired',
  'tls-not-yet-valid',
  'tls-hostname',
  'tls-self-signed',
  'tls-issuer-missing',
  'tls-untrusted',
  'tls-client-certificate',
  'tls-handshake',
  'send-timeout',
  'first-byte-timeout',
  'body-timeout',
  'truncated',
  'http-malformed',
  'headers-too-large',
  'decompression',
  'too-many-redirects',
  'redirect-loop',
  'redirect-downgrade',
  'redirect-invalid',
] as const
export const FailureClass = OneOf(failureClasses)
export type FailureClass = Static<typeof FailureClass>

/** `code` is the system's or library's own (ECONNREFUSED, …); `message` a sentence for a person. */
export const NetworkFailure = Type.Object({
  class: FailureClass,
  code: Nullable(Type.String()),
  message: Type.String(),
  phase: Nullable(Phase),
})
export type NetworkFailure = Static<typeof NetworkFailure>
