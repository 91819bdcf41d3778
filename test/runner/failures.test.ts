import { describe, expect, test } from 'vitest'
import type { FailureClass } from '../../src/contract/failure.ts'
import { type Phase, phases } from '../../src/contract/timings.ts'
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
  ['CERT_REVOKED', 'tls', 'tls-revoked'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls', 'tls-hostname'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls', 'tls-self-signed'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'tls', 'tls-untrusted'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls', 'tls-untrusted'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls', 'tls-handshake'],
  ['UND_ERR_SOCKET', 'firstByte', 'closed'],
  ['UND_ERR_SOCKET', 'download', 'truncated'],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'download', 'truncated'],
  ['UND_ERR_HEADERS_OVERFLOW', 'firstByte', 'headers-too-large'],
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

  test.each([
    ['no more file descriptors', coded('EMFILE')],
    ['no more local ports', coded('EADDRNOTAVAIL')],
    ['no more memory', coded('ENOMEM')],
    ['a code that nobody knows', coded('ERR_ASSERTION')],
    ['an error without a code', new TypeError('a slip of ours')],
    ['a thrown text', 'a slip of ours'],
  ])('never blames the target for %s', (_what, error) => {
    for (const phase of phases) {
      expect(() => failureOf(error, phase)).toThrow(expect.objectContaining({ code: 'RUNNER_FAULT' }))
    }
  })
})

test('tells waiting in vain from every other failure', () => {
  expect(isTimeout(timeoutIn('firstByte'))).toBe(true)
  expect(isTimeout(failureOf(coded('ETIMEOUT'), 'dns'))).toBe(true)
  expect(isTimeout(failureOf(coded('ECONNREFUSED'), 'connect'))).toBe(false)
})
