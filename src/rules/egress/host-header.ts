const blanksAround = /^[\t ]+|[\t ]+$/g
/** Nothing that one reader may take for the end of the name, and another for a part of it. */
const authority = /^[^\s/?#@\\,;]+$/

/**
 * The name or IP literal, without brackets, that a Host header names in whatever writing (RFC 9110 §7.2); null where it
 * is not sure which.
 */
export function namedByHostHeader(value: string): string | null {
  const text = value.replace(blanksAround, '')
  const url = authority.test(text) ? URL.parse(`http://${text}`) : null
  return url ? url.hostname.replace(/^\[|\]$/g, '') : null
}
