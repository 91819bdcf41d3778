import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parseProxyUrl } from '../../../src/runner/dial/proxy-url.ts'

function read(text: string) {
  const parsed = parseProxyUrl(text)
  if ('fault' in parsed) return parsed.fault
  const { authorization, ...rest } = parsed.settings
  const [, encoded] = authorization?.reveal().split(' ') ?? []
  return { ...rest, credentials: encoded === undefined ? null : Buffer.from(encoded, 'base64').toString() }
}

const plain = { secure: false, hostname: 'proxy.internal', port: 3128, credentials: null }

describe('the URL of a proxy', () => {
  test.each([
    ['http://proxy.internal:3128', plain],
    ['HTTP://Proxy.Internal.:3128/', plain],
    ['http://proxy.internal', { ...plain, port: 80 }],
    ['https://proxy.internal', { ...plain, secure: true, port: 443 }],
    ['http://[2001:db8::1]:3128', { ...plain, hostname: '2001:db8::1' }],
    ['http://0x7f.1:3128', { ...plain, hostname: '127.0.0.1' }],
    ['http://user:pass@proxy.internal:3128', { ...plain, credentials: 'user:pass' }],
    ['http://user@proxy.internal:3128', { ...plain, credentials: 'user:' }],
    ['http://:pass@proxy.internal:3128', { ...plain, credentials: ':pass' }],
    ['http://a%40b:p%3A%2F%C3%A9@proxy.internal:3128', { ...plain, credentials: 'a@b:p:/é' }],
  ])('%s is read', (text, expected) => {
    expect(read(text)).toEqual(expected)
  })

  test.each(['', 'proxy.internal:3128', 'socks5://proxy.internal', 'http://', 'http://proxy.internal:99999'])(
    'that is %j is a fault',
    (text) => {
      expect(read(text)).toBe(
        'a URL such as http://proxy.internal:3128 or https://user:password@proxy.internal:3129',
      )
    },
  )

  test('never tells what it holds: neither its fault nor its settings do', () => {
    const faulty = parseProxyUrl('http://user:open%sesame@proxy.internal')
    expect(faulty).toEqual({ fault: 'percent-encoded in its user and password' })
    const settings = parseProxyUrl('http://user:opensesame@proxy.internal')
    const encoded = Buffer.from('user:opensesame').toString('base64')
    for (const shown of [JSON.stringify(settings), inspect(settings, { depth: 9 }), String(settings)]) {
      expect(shown).not.toContain('sesame')
      expect(shown).not.toContain(encoded)
    }
  })
})
