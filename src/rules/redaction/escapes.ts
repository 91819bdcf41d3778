const hex = '[\\da-fA-F]'
const following = `%[89abAB]${hex}`
/** In URLs, in JSON and in HTML; a plus for a blank in forms; the ends of lines that long texts are broken at. */
export const escapes = new RegExp(
  [
    `%[0-7]${hex}`,
    `%[cdCD]${hex}${following}`,
    `%[eE]${hex}(?:${following}){2}`,
    `%[fF][0-4](?:${following}){3}`,
    `%[89a-fA-F]${hex}`,
    `\\\\u${hex}{4}`,
    '\\\\["\\\\/bfnrt]',
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
      return written.charAt(1) === 'u'
        ? String.fromCharCode(Number.parseInt(written.slice(2), 16))
        : (backslashed[written.charAt(1)] ?? written.charAt(1))
    case '&':
      return entityText(written.slice(1, -1))
    case '+':
      return ' '
    default:
      return ''
  }
}

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
