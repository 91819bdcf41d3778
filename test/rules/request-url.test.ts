import { expect, test } from 'vitest'
import { requestUrlFault } from '../../src/rules/request-url.ts'

test.each([
  'http://a',
  'https://a.example:8443/b?c=d',
  '{{HOST}}/health',
  'https://{{HOST}}/',
  '{{#if STAGING}}https://staging.example{{else}}{{{BASE}}}{{/if}}/',
])('%s is fine', (url) => {
  expect(requestUrlFault(url)).toBeNull()
})

test.each(['a.example', 'ftp://a', 'http://', '/path', 'javascript:1'])(
  '%s is refused with what is allowed',
  (url) => {
    expect(requestUrlFault(url)).toContain('must be a URL that starts with http:// or https://')
  },
)
