import { isIP } from 'node:net'

/** Neither a part of a host name in any script, nor what a reader of URLs passes over. */
const noPartOfName = /[\s\p{Cc}/?#@[\]\\,;:%]/u

/**
 * A host as it is dialled, in the one writing that everybody on the way reads alike: an address, brackets taken off, or
 * a name in small letters of ASCII (RFC 5891). What others read as an address of IPv4 (`2852039166`, `0xa9.254.1`) is
 * that address, as in a URL: the egress policy must judge what a proxy would connect to. Null for what is neither.
 */
export function hostToDial(written: string): string | null {
  const text = written.replace(/^\[([^\]]*)\]$/, '$1')
  if (isIP(text) !== 0) return text
  return noPartOfName.test(text) ? null : (URL.parse(`http://${text}`)?.hostname ?? null)
}
