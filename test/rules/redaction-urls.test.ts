import { describe, expect, test } from 'vitest'
import { scrubUrl } from '../../src/rules/redaction/scrub-url.ts'
import { isSensitiveHeader, isSensitiveParameter } from '../../src/rules/sensitive-headers.ts'

test.each([
  ['http://a/?b=c#d', 'http://a/?b=c#d'],
  ['http://user:hunter2@a/', 'http://user:<redacted>@a/'],
  ['http://:p@ss@a/ http://u:v@b/', 'http://:<redacted>@a/ http://u:<redacted>@b/'],
  ['/?api_key=1&page=2', '/?api_key=<redacted>&page=2'],
  ['/?page=2&access%5Ftoken=a%20b#c', '/?page=2&access%5Ftoken=<redacted>#c'],
  [
    'http://a/cb#access_token=x&token_type=bearer',
    'http://a/cb#access_token=<redacted>&token_type=<redacted>',
  ],
  ['<http://a/?sig=x>; rel="next"', '<http://a/?sig=<redacted>>; rel="next"'],
  ['/?token=<redacted>&a=b', '/?token=<redacted>&a=b'],
  ['/?token=a<redacted>b', '/?token=<redacted>'],
  ['/?token=&token', '/?token=<redacted>&token'],
  ['max-age=0; token=x', 'max-age=0; token=x'],
  ['a@b:c@d', 'a@b:c@d'],
])('of %s it is told %s', (text, told) => {
  expect(scrubUrl(text)).toBe(told)
})

describe('the value of a header is not told: ', () => {
  test.each([
    'Authorization',
    'cookie',
    'Proxy-Authorization',
    'set-cookie',
    'x-api-key',
    'X_API_KEY',
    'X-Auth-Token',
    'X-Amz-Security-Token',
    'client_secret',
    'Ocp-Apim-Subscription-Key',
    'X-RapidAPI-Key',
    'x-functions-key',
  ])('%s', (name) => {
    expect(isSensitiveHeader(name)).toBe(true)
  })
})

describe('the value of a header is told: ', () => {
  test.each([
    'x-author',
    'www-authenticate',
    'content-type',
    'x-cache-key',
    'Idempotency-Key',
    'sec-websocket-key',
    'signature',
    'x-monkey',
    'tokenizer',
  ])('%s', (name) => {
    expect(isSensitiveHeader(name)).toBe(false)
  })
})

describe('the value of a query parameter is not told: ', () => {
  test.each([
    'api_key',
    'apiKey',
    'apikey',
    'key',
    'token',
    'access_token',
    'accessToken',
    'user[password]',
    'client.secret',
    'sig',
    'Signature',
    'X-Amz-Signature',
    'X-Amz-Credential',
    'sid',
    'sessionId',
    'auth',
    'authorization',
    'pwd',
    'jwt',
  ])('%s', (name) => {
    expect(isSensitiveParameter(name)).toBe(true)
  })
})

describe('the value of a query parameter is told: ', () => {
  test.each(['page', 'q', 'keyword', 'author', 'designature', 'side', 'cacheKey', 'sortKey', 'monkey'])(
    '%s',
    (name) => {
      expect(isSensitiveParameter(name)).toBe(false)
    },
  )
})
