import { decodePunycode } from './punycode.ts'

/** ASCII that no host name has beside letters of other scripts. */
const delimiters = /[^\w.*\u0080-\uffff-]/
const beyondAscii = /[^\0-\x7f]/
const address = /^(?:[\da-f:]*:[\da-f:.]*|[\da-fx]+(?:\.[\da-fx]+){1,3})$/i

/** How a text stands where names and addresses are told in one way of writing. */
export interface HostForms {
  /** In ASCII: labels in punycode. */
  readonly ascii: string
  /** In its own letters. */
  readonly letters: string
}

/**
 * Of a text that may be a part of a host name and is not ASCII, or that is an address (RFC 5891, RFC 5952); null of any
 * other. What stands beside it in its label is not known: where it shares one, only the label's own letters hold it.
 */
export function hostForms(text: string): HostForms | null {
  const isName = beyondAscii.test(text) && !delimiters.test(text)
  if (!isName && !address.test(text)) return null
  try {
    const { hostname } = new URL(`http://${text.includes(':') ? `[${text}]` : text}/`)
    const ascii = hostname.replace(/^\[(.*)\]$/, '$1')
    return { ascii, letters: ascii.split('.').map(lettersOf).join('.') }
  } catch {
    return null
  }
}

function lettersOf(label: string): string {
  return (label.startsWith('xn--') ? decodePunycode(label.slice(4)) : null) ?? label
}
