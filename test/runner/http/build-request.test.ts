import { describe, expect, test } from 'vitest'
import type { ApiRequest } from '../../../src/contract/checks/api/request.ts'
import { buildRequest } from '../../../src/runner/http/build-request.ts'
import { apiRequest, entry } from '../../support/api-definition.ts'

function build(url: string, request: Partial<ApiRequest> = {}) {
  const built = buildRequest(apiRequest(url, request), 'Picket/1.2.3')
  if (!built) throw new Error('not built')
  return { ...built, url: built.url.href, headers: new Map(built.headers) }
}

const url = 'http://a.example/'

describe('the URL', () => {
  test.each([
    ['http://a.example/x?b=1#part', [], 'http://a.example/x?b=1'],
    ['http://a.example/x', [entry('q', 'a b&c'), entry('ä', '')], 'http://a.example/x?q=a%20b%26c&%C3%A4='],
    ['http://a.example/x?flag&b=%20c+d', [entry('q', '1')], 'http://a.example/x?flag&b=%20c+d&q=1'],
    ['http://a.example/?', [entry('q', '1'), entry('q', '2'), entry('', 'x')], 'http://a.example/?q=1&q=2'],
  ])('%s with parameters %j becomes %s', (given, queryParameters, expected) => {
    expect(build(given, { queryParameters }).url).toBe(expected)
  })

  test.each(['nonsense', '/path', 'ftp://a.example/', 'http://', 'http://a:99999/'])(
    'cannot be %s',
    (given) => {
      expect(buildRequest(apiRequest(given), 'Picket/1.2.3')).toBeNull()
    },
  )
})

describe('the headers', () => {
  test('have defaults', () => {
    expect([...build(url).headers]).toEqual([
      ['user-agent', 'Picket/1.2.3'],
      ['accept', '*/*'],
      ['accept-encoding', 'gzip, deflate, br, zstd'],
    ])
  })

  test("are the user's own first, in the user's own letters", () => {
    const headers = [
      entry(' X-One ', ' 1 '),
      entry('User-Agent', 'me'),
      entry('', 'x'),
      entry('ACCEPT', 'a/b'),
    ]
    expect([...build(url, { headers }).headers]).toEqual([
      ['X-One', '1'],
      ['User-Agent', 'me'],
      ['ACCEPT', 'a/b'],
      ['accept-encoding', 'gzip, deflate, br, zstd'],
    ])
  })

  test.each(['Content-Length', 'connection', 'Transfer-Encoding', 'keep-alive'])(
    'never frame by %s',
    (name) => {
      expect(build(url, { headers: [entry(name, '7')] }).headers.has(name)).toBe(false)
    },
  )
})

describe('the body', () => {
  test.each<[ApiRequest['bodyType'], string, string | null, string | undefined]>([
    ['NONE', 'ignored', null, undefined],
    ['JSON', '{"a":1}', '{"a":1}', 'application/json'],
    ['FORM', 'a=1&b=2', 'a=1&b=2', 'application/x-www-form-urlencoded'],
    ['RAW', 'hello', 'hello', 'text/plain'],
    ['GRAPHQL', '{ me { id } }', '{"query":"{ me { id } }"}', 'application/json'],
    ['GRAPHQL', '{"query":"{ me }","variables":{}}', '{"query":"{ me }","variables":{}}', 'application/json'],
    ['GRAPHQL', '"a"', '{"query":"\\"a\\""}', 'application/json'],
    ['JSON', '', null, undefined],
  ])('of type %s from %j is %j as %s', (bodyType, given, body, contentType) => {
    const built = build(url, { method: 'POST', bodyType, body: given })
    expect(built.body).toBe(body)
    expect(built.headers.get('content-type')).toBe(contentType)
  })

  test("has the user's own content type where there is one", () => {
    const headers = [entry('Content-Type', 'application/vnd.api+json')]
    const built = build(url, { method: 'POST', bodyType: 'JSON', body: '{}', headers })
    expect(built.headers.get('Content-Type')).toBe('application/vnd.api+json')
    expect(built.headers.has('content-type')).toBe(false)
  })
})

describe('basic authentication', () => {
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

  test.each<[string, string, Partial<ApiRequest>, string | undefined]>([
    ['the fields', url, { basicAuth: { username: 'ann', password: 'pässword' } }, basic('ann:pässword')],
    ['the URL', 'http://ann:p%40ss@a.example/', {}, basic('ann:p@ss')],
    ['a URL with a stray percent sign', 'http://ann:100%@a.example/', {}, basic('ann:100%')],
    [
      'fields over URL',
      'http://x:y@a.example/',
      { basicAuth: { username: 'ann', password: '' } },
      basic('ann:'),
    ],
    ['empty fields: none', url, { basicAuth: { username: '', password: '' } }, undefined],
    ['null: none', url, { basicAuth: null }, undefined],
  ])('comes from %s', (_what, given, request, expected) => {
    const built = build(given, request)
    expect(built.headers.get('authorization')).toBe(expected)
    expect(built.url).toBe(url)
  })

  test("gives way to the user's own header", () => {
    const headers = [entry('Authorization', 'Bearer x')]
    const built = build(url, { headers, basicAuth: { username: 'ann', password: 'p' } })
    expect(built.headers.get('Authorization')).toBe('Bearer x')
    expect(built.headers.has('authorization')).toBe(false)
  })
})
