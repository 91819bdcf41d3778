import { domainToASCII } from 'node:url'

const maxNameLength = 253
const maxLabelLength = 63
/** What stands in a name as it is. A backslash would be read as the beginning of an escape elsewhere. */
const plain = /^[!-[\]-~]+$/

/** ASCII that no host name of another script holds: taken for the end of it, or for an escape, as in a URL. */
const delimiters = /[^\w.*\u0080-\uffff-]/

/**
 * The name to ask for, as a user writes it: complete with or without a dot at its end, in its own letters or in punycode
 * (RFC 5891), `.` for the root. The case of letters stays. Null where there can be no such name.
 */
export function queryName(written: string): string | null {
  const name = asciiOf(written.trim())
  if (name === '.') return name
  const bare = name.replace(/\.$/, '')
  const fits = bare.split('.').every((label) => label.length > 0 && label.length <= maxLabelLength)
  return fits && bare.length <= maxNameLength && plain.test(bare) ? bare : null
}

/** Empty where letters of other scripts make no name. */
function asciiOf(text: string): string {
  if (plain.test(text)) return text
  return delimiters.test(text) ? '' : domainToASCII(text)
}
