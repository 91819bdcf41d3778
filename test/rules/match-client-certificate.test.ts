import { describe, expect, test } from 'vitest'
import type { ClientCertificate } from '../../src/contract/client-certificate.ts'
import { clientCertificateFor } from '../../src/rules/match-client-certificate.ts'

const certificate = (host: string, key = host): ClientCertificate => ({
  host,
  certificate: '',
  key,
  passphrase: null,
  ca: null,
})
const found = (hostname: string, ...hosts: string[]) =>
  clientCertificateFor(
    hostname,
    hosts.map((host) => certificate(host)),
  )?.host ?? null

describe('clientCertificateFor', () => {
  test.each([
    ['api.example.com', 'api.example.com', true],
    ['API.Example.com', 'api.example.COM', true],
    ['api.example.com', 'api.example.com.', true],
    ['api.example.com', 'api.example.com:8443', true],
    ['xn--mnchen-3ya.example', 'münchen.example', true],
    ['api.example.com', 'example.com', false],
    ['example.com', 'api.example.com', false],
    ['api.example.com.evil.test', 'api.example.com', false],
    ['api.example.com', '*.example.com', true],
    ['API.EXAMPLE.COM', '*.Example.com', true],
    ['a.xn--mnchen-3ya.example', '*.münchen.example', true],
    ['example.com', '*.example.com', false],
    ['a.b.example.com', '*.example.com', false],
    ['a.b.example.com', '*.b.example.com', true],
    ['badexample.com', '*.example.com', false],
    ['a.example.com', 'a*.example.com', false],
    ['a.b.example.com', 'a.*.example.com', false],
    ['a.b.example.com', '*.*.example.com', false],
    ['api.example.com', '*', false],
    ['localhost', '*', false],
    ['localhost', 'localhost', true],
    ['192.0.2.1', '192.0.2.1', true],
    ['192.0.2.1', '*.0.2.1', false],
    ['2001:db8::1', '2001:DB8:0::1', true],
    ['2001:db8::1', '[2001:db8::1]', true],
    ['api.example.com', '', false],
    ['api.example.com', 'not a host', false],
  ])('for %s of one for %j: %j', (hostname, host, expected) => {
    expect(found(hostname, host)).toBe(expected ? host : null)
  })

  test('takes one for exactly this host before one with a wildcard, however old', () => {
    expect(found('api.example.com', '*.example.com', 'api.example.com')).toBe('api.example.com')
  })

  test('takes the newest, which is the first, of several', () => {
    const two = [certificate('*.example.com', 'newer'), certificate('*.example.com', 'older')]
    expect(clientCertificateFor('api.example.com', two)?.key).toBe('newer')
    const exact = [certificate('API.example.com', 'newer'), certificate('api.example.com', 'older')]
    expect(clientCertificateFor('api.example.com', exact)?.key).toBe('newer')
  })

  test('takes none of none', () => {
    expect(found('api.example.com')).toBeNull()
  })
})
