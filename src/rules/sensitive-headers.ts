import { boundedCache } from './bounded-cache.ts'

const headerNames: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'authentication-info',
])
const parameterNames: ReadonlySet<string> = new Set(['authorization', 'key', 'sid', 'sig', 'signature'])

/** `x-api-key`, `x-auth-token`, `x-amz-security-token`, `client_secret`, `user[password]`, … */
const words =
  /(^|[-_.[])(api[-_]?key|token|jwt|secret|passw(or)?d|passphrase|pwd|auth|credentials?|session([-_]?id)?)($|[-_.\]])/i
/** `ocp-apim-subscription-key`, `x-functions-key`, … */
const endsInKey = /[-_]key$/i
const openKeys = /(cache|surrogate|idempotency|websocket|public|partition|routing|sort)[-_]key$/i

/** What stands in the place of a value that is not told. */
export const redacted = '<redacted>'

/** Whether the value of a header, in whatever letters, is told to nobody (semantics §10). */
export function isSensitiveHeader(name: string): boolean {
  return name.length <= maxKnownName ? isSensitiveName(name) : soundsSensitive(name)
}

/** Most names come with every attempt. */
const isSensitiveName = boundedCache(1000, soundsSensitive)
const maxKnownName = 100

function soundsSensitive(name: string): boolean {
  return headerNames.has(name.toLowerCase()) || soundsSecret(name)
}

/** The same of a query parameter: `access_token`, `apiKey`, `X-Amz-Signature`, … */
export function isSensitiveParameter(name: string): boolean {
  const hyphenated = name.replace(/([a-z\d])([A-Z])/g, '$1-$2')
  return (
    parameterNames.has(name.toLowerCase()) || /[-_]signature$/i.test(hyphenated) || soundsSecret(hyphenated)
  )
}

function soundsSecret(name: string): boolean {
  return words.test(name) || (endsInKey.test(name) && !openKeys.test(name))
}
