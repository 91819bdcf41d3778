const names: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'authentication-info',
])
/** `x-api-key`, `x-auth-token`, `x-amz-security-token`, … */
const words = /(^|[-_])(api-?key|token|secret|passw(or)?d|auth|credentials?|session(-?id)?)($|[-_])/i

/** What stands in the place of a value that is not told. */
export const redacted = '<redacted>'

/** Whether the value of a header, in whatever letters, is told to nobody (semantics §10). */
export function isSensitiveHeader(name: string): boolean {
  return names.has(name.toLowerCase()) || words.test(name)
}
