import { describe, expect, test } from 'vitest'
import type { ApiRequest } from '../../src/contract/checks/api/request.ts'
import { attemptSecrets } from '../../src/rules/redaction/attempt-secrets.ts'
import { apiRequest, entry } from '../support/api-definition.ts'

interface Attempt {
  readonly request?: Partial<ApiRequest>
  readonly url?: string
  readonly variables?: Readonly<Record<string, string>>
  readonly sent?: Readonly<Record<string, string>>
  readonly hop?: string
}

const hopTo = (url: string) => ({
  method: 'GET',
  url,
  status: 200,
  remoteAddress: null,
  addresses: [],
  tls: null,
  timings: {
    startedUs: 0,
    totalUs: 0,
    phasesUs: { dns: null, connect: null, tls: null, send: null, firstByte: null, download: null },
  },
})

function secretsOf({
  request = {},
  url = 'http://a/',
  variables = {},
  sent = {},
  hop = 'http://a/',
}: Attempt) {
  const definition = {
    request: apiRequest(url, request),
    variables: Object.entries(variables).map(([key, value]) => {
      return { key, value, locked: false, secret: key.startsWith('SECRET') }
    }),
  }
  const evidence = {
    request: { method: 'GET', url: 'http://a/', headers: { ...sent }, body: '' },
    hops: [hopTo(hop)],
  }
  return attemptSecrets(definition, evidence).filter((secret) => secret !== '')
}

const basic = (text: string) => Buffer.from(text).toString('base64')

describe('a secret of an attempt is', () => {
  test.each<[string, Attempt, string[]]>([
    ['a variable that is marked as one', { variables: { SECRET: 'x', OTHER: 'y' } }, ['x']],
    ['the password of basic auth', { request: { basicAuth: { username: 'u', password: 'p' } } }, ['p']],
    [
      'its name where there is no password',
      { request: { basicAuth: { username: 'key-1', password: '' } } },
      ['key-1'],
    ],
    [
      'a password with a variable in it',
      { request: { basicAuth: { username: 'u', password: 'p{{A}}' } }, variables: { A: '<' } },
      ['p&lt;'],
    ],
    ['a password in the URL', { url: 'http://u:p%2Fq@a/' }, ['p%2Fq', 'p/q']],
    ['a password in a URL of a redirect', { hop: 'http://u:pass@a/' }, ['pass', 'pass']],
    [
      'the value of a sensitive header, whole and without its scheme',
      { sent: { Authorization: 'Bearer abcd' } },
      ['Bearer abcd', 'abcd'],
    ],
    ['the value of a header for a key', { sent: { 'x-api-key': 'abcd' } }, ['abcd']],
    [
      'what is in the credentials of basic auth',
      { sent: { authorization: `Basic ${basic('user:p:q')}` } },
      ['p:q', `Basic ${basic('user:p:q')}`, basic('user:p:q')],
    ],
    [
      'the user in them where there is no password',
      { sent: { authorization: `Basic ${basic('sk_live:')}` } },
      [`Basic ${basic('sk_live:')}`, basic('sk_live:'), 'sk_live'],
    ],
    [
      'each cookie, and all of them',
      { sent: { cookie: 'a=first; b="second"' } },
      ['a=first; b="second"', 'first', 'second'],
    ],
    [
      'a sensitive header that is defined, though the last redirect did not get it',
      { request: { headers: [entry('X-Token', 'abc{{A}}'), entry('x', 'y')] }, variables: { A: 'd' } },
      ['abcd'],
    ],
    [
      'a sensitive query parameter, defined or redirected to, as it stands there and decoded',
      {
        url: 'http://a/?b=c&access_token=one%2F1',
        request: { queryParameters: [entry('sig', 'two2'), entry('q', 'none')] },
        hop: 'http://a/?apiKey=three&page=4444',
      },
      ['two2', 'one%2F1', 'one/1', 'three', 'three'],
    ],
  ])('%s', (_, attempt, secrets) => {
    expect(secretsOf(attempt)).toEqual(secrets)
  })
})

describe('no secret is', () => {
  test.each<[string, Attempt]>([
    ['a variable that is not marked', { variables: { A: 'abcdef' } }],
    ['a header that says nothing of one', { sent: { accept: 'text/html', host: 'a.example' } }],
    [
      'what is too short to be one, where only a name says so',
      { sent: { 'x-session': '1', 'x-token': 'abc' } },
    ],
    [
      'a word of JSON, where only a name says so',
      { sent: { 'x-token': 'true' }, url: 'http://a/?token=null' },
    ],
    ['an empty text', { sent: { authorization: '' }, variables: { SECRET: '' } }],
    ['what cannot be read', { sent: { authorization: 'Basic' } }],
  ])('%s', (_, attempt) => {
    expect(secretsOf(attempt).filter((secret) => secret !== 'Basic')).toEqual([])
  })
})

test('credentials that are no base64 are a secret as they are', () => {
  expect(secretsOf({ sent: { authorization: 'Basic ???' } })).toEqual(['Basic ???'])
})

test('a request that could not be filled in has the secrets of its definition', () => {
  expect(secretsOf({ request: { headers: [entry('x-token', 'abcd{{NOWHERE}}')] } })).toEqual([
    'abcd{{NOWHERE}}',
  ])
})
