import { decodePunycode } from './punycode.ts'

const hex = '[\\da-fA-F]'
const following = `%[89abAB]${hex}`
/** Bytes of UTF-8 in decimals: those that begin a character of two, three or four of them, and those that follow, maybe in the next string. */
const two = '\\\\(?:19[4-9]|2[01]\\d|22[0-3])'
const three = '\\\\(?:22[4-9]|23\\d)'
const four = '\\\\24[0-4]'
const next = '(?:" ")?\\\\(?:12[89]|1[3-8]\\d|19[01])'

/**
 * In URLs, in JSON and in HTML; a plus for a blank in forms; the ends of lines that long texts are broken at; in names and
 * texts of DNS (RFC 1035 §5.1), and what stands between two strings of one; labels of names in punycode.
 */
export const escapes = new RegExp(
  [
    `%[0-7]${hex}`,
    `%[cdCD]${hex}${following}`,
    `%[eE]${hex}(?:${following}){2}`,
    `%[fF][0-4](?:${following}){3}`,
    `%[89a-fA-F]${hex}`,
    `\\\\u${hex}{4}`,
    '\\\\["\\\\/bfnrt$();@]',
    `${two}${next}`,
    `${three}(?:${next}){2}`,
    `${four}(?:${next}){3}`,
    '\\\\(?:[01]\\d\\d|2[0-4]\\d|25[0-5])',
    '" "',
    '[xX][nN]--[a-zA-Z\\d-]{1,59}',
    '&(?:amp|lt|gt|quot|apos|#\\d{1,7}|#[xX][\\da-fA-F]{1,6});',
    '\\+',
    '[\\r\\n\\t]+',
  ].join('|'),
  'g',
)

/** What may be left of an escape at the end of a text that was cut, or of a character of several bytes. */
export const looseEnd = new RegExp(
  `(?:${[
    `(?:%[cdCD]${hex}|%[eE]${hex}(?:${following})?|%[fF][0-4](?:${following}){0,2})?(?:%${hex}?)?`,
    `\\\\(?:u${hex}{0,3})?`,
    `(?:${two}|${three}(?:${next})?|${four}(?:${next}){0,2})?(?:\\\\\\d{0,2})?`,
    '" ?',
    '&#?\\w{0,7}',
    '\uFFFD{1,3}',
  ].join('|')})$`,
)

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const backslashed: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/** Of a whole match of `escapes`. */
export function meaningOf(written: string): string {
  switch (written.charAt(0)) {
    case '%':
      return percentText(written)
    case '\\':
      return backslashText(written)
    case '&':
      return entityText(written.slice(1, -1))
    case '+':
      return ' '
    case 'x':
    case 'X':
      return decodePunycode(written.slice(4).toLowerCase()) ?? written
    default:
      return ''
  }
}

function backslashText(written: string): string {
  const sign = written.charAt(1)
  if (sign === 'u') return String.fromCharCode(Number.parseInt(written.slice(2), 16))
  if (/\d/.test(sign)) return percentText(written.replaceAll('" "', '').replace(/\\(\d{3})/g, inPercents))
  return backslashed[sign] ?? sign
}

const inPercents = (_: string, digits: string) => `%${Number(digits).toString(16).padStart(2, '0')}`

/** What is not UTF-8 is Latin-1. */
function percentText(written: string): string {
  try {
    return decodeURIComponent(written)
  } catch {
    return written.replace(/%(..)/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)))
  }
}

function entityText(name: string): string {
  if (!name.startsWith('#')) return named[name] ?? ''
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : `&${name};`
}
