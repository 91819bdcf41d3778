import { describe, expect, test } from 'vitest'
import type { FailureClass } from '../../src/contract/failure.ts'
import { type Phase, phases } from '../../src/contract/timings.ts'
import { AppError } from '../../src/lib/app-error.ts'
import {
  addressFamilyMissing,
  clientCertificateRefused,
  clientCertificateUnreadable,
  egressForbidden,
  proxyRefused,
} from '../../src/runner/dial/dial-errors.ts'
import { failureOf, isTimeout, timeoutIn } from '../../src/runner/failures.ts'

const coded = (code: string) => Object.assign(new Error('any text'), { code })

const table: readonly [code: string, phase: Phase, expected: FailureClass][] = [
  ['ENOTFOUND', 'dns', 'dns-nxdomain'],
  ['ESERVFAIL', 'dns', 'dns-servfail'],
  ['ENODATA', 'dns', 'dns-no-address'],
  ['ETIMEOUT', 'dns', 'dns-timeout'],
  ['EREFUSED', 'dns', 'dns-failed'],
  ['ECONNREFUSED', 'dns', 'dns-failed'],
  ['ECONNREFUSED', 'connect', 'refused'],
  ['EHOSTUNREACH', 'connect', 'unreachable'],
  ['ETIMEDOUT', 'connect', 'connect-timeout'],
  ['ETIMEDOUT', 'download', 'body-timeout'],
  ['ECONNRESET', 'firstByte', 'reset'],
  ['EPIPE', 'send', 'reset'],
  ['CERT_HAS_EXPIRED', 'tls', 'tls-expired'],
  ['CERT_NOT_YET_VALID', 'tls', 'tls-not-yet-valid'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls', 'tls-hostname'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls', 'tls-self-signed'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'tls', 'tls-untrusted'],
  ['INVALID_CA', 'tls', 'tls-untrusted'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls', 'tls-issuer-missing'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'tls', 'tls-issuer-missing'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls', 'tls-handshake'],
  ['ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE', 'tls', 'tls-handshake'],
  ['ERR_TLS_DH_PARAM_SIZE', 'tls', 'tls-handshake'],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'firstByte', 'tls-client-certificate'],
  ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'send', 'tls-client-certificate'],
  ['ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE', 'tls', 'tls-client-certificate'],
  ['ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_EXPIRED', 'firstByte', 'tls-client-certificate'],
  ['ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_UNKNOWN', 'firstByte', 'tls-client-certificate'],
  ['ERR_SSL_TLSV1_ALERT_ACCESS_DENIED', 'tls', 'tls-client-certificate'],
  ['ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', 'download', 'tls-handshake'],
  ['REQUEST_INVALID', 'send', 'invalid-request'],
  ['HTTP_MALFORMED', 'download', 'http-malformed'],
  ['HTTP_HEADERS_TOO_LARGE', 'firstByte', 'headers-too-large'],
  ['HTTP_TRUNCATED', 'download', 'truncated'],
  ['HTTP_CLOSED', 'firstByte', 'closed'],
]

describe('failureOf', () => {
  test.each(table)('calls %s in %s %s', (code, phase, expected) => {
    expect(failureOf(coded(code), phase)).toEqual({
      class: expected,
      code,
      message: expect.stringMatching(/^[A-Z].*\w$/),
      phase,
    })
  })

  test.each(['EMFILE', 'ENFILE', 'ENOBUFS', 'EADDRNOTAVAIL', 'EADDRINUSE'])(
    'names what this machine has too few of, and never blames the target: %s',
    (code) => {
      for (const phase of [...phases, null]) {
        expect(() => failureOf(coded(code), phase)).toThrow(
          expect.objectContaining({
            code: 'OUT_OF_SOCKETS',
            message: 'The agent has no socket left for a connection',
            cause: expect.objectContaining({ code }),
          }),
        )
      }
    },
  )

  test.each(['IPv4', 'IPv6'] as const)(
    'names the family that this machine has no address of: %s',
    (family) => {
      const fault = addressFamilyMissing(family, coded('EADDRNOTAVAIL'))
      for (const phase of [...phases, null]) {
        expect(() => failureOf(fault, phase)).toThrow(
          expect.objectContaining({
            code: 'ADDRESS_FAMILY_MISSING',
            message: expect.stringMatching(
              new RegExp(`^This machine has no ${family} address to connect from: `),
            ),
            cause: fault,
          }),
        )
      }
    },
  )

  test.each([
    ['no more memory', coded('ENOMEM')],
    ['a code that nobody knows', coded('ERR_ASSERTION')],
    ['an error without a code', new TypeError('a slip of ours')],
    ['a thrown text', 'a slip of ours'],
    ['nothing', null],
  ])('never blames the target for %s', (_what, error) => {
    for (const phase of phases) {
      expect(() => failureOf(error, phase)).toThrow(expect.objectContaining({ code: 'RUNNER_FAULT' }))
    }
  })

  test('hands on a fault of our own that has a name', () => {
    const fault = new AppError('PROXY_UNUSABLE', 'The proxy of the location cannot be used')
    expect(() => failureOf(fault, 'connect')).toThrow(fault)
  })

  test.each([
    [
      egressForbidden('169.254.169.254'),
      'egress-forbidden',
      'EGRESS_FORBIDDEN',
      /does not allow 169\.254\.169\.254$/,
    ],
    [egressForbidden(null), 'egress-forbidden', 'EGRESS_FORBIDDEN', /does not allow the address$/],
    [proxyRefused(503), 'proxy-refused', 'HTTP 503', /^The proxy did not open/],
    [
      clientCertificateRefused(coded('ERR_SSL_X')),
      'tls-client-certificate',
      'ERR_SSL_X',
      /^The target did not accept/,
    ],
    [
      clientCertificateUnreadable(coded('ERR_OSSL_X')),
      'tls-client-certificate',
      'ERR_OSSL_X',
      /cannot be read/,
    ],
    [
      clientCertificateUnreadable('any'),
      'tls-client-certificate',
      'CLIENT_CERTIFICATE_UNREADABLE',
      /cannot be read/,
    ],
  ] as const)('tells more of %s than its class', (error, expected, code, message) => {
    expect(failureOf(error, 'connect')).toEqual({
      class: expected,
      code,
      message: expect.stringMatching(message),
      phase: 'connect',
    })
  })
})

test('tells waiting in vain from every other failure', () => {
  expect(isTimeout(timeoutIn('firstByte'))).toBe(true)
  expect(isTimeout(failureOf(coded('ETIMEOUT'), 'dns'))).toBe(true)
  expect(isTimeout(failureOf(coded('ECONNREFUSED'), 'connect'))).toBe(false)
})
