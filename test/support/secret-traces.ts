import fc from 'fast-check'

const html = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#x27;',
  '`': '&#x60;',
  '=': '&#x3D;',
}

const inJson = (text: string) => JSON.stringify(text).slice(1, -1)
const lowerHex = (text: string) => text.replace(/%../g, (code) => code.toLowerCase())

/** What of a text's base64 is the same whatever stands before and after it. */
function stableBase64(text: string, before: number): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)])
  const [start, end] = [Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6)]
  return bytes.toString('base64').slice(start, end)
}

/** Ways in which what somebody was told is told again. */
export const encodings: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'URL-encoded': encodeURIComponent,
  'URL-encoded in lower case': (text) => lowerHex(encodeURIComponent(text)),
  'as a form': (text) => new URLSearchParams({ a: text }).toString().slice(2),
  'as a part of a query': (text) => new URL(`http://a/?${text.replaceAll('#', '%23')}`).search.slice(1),
  'escaped for HTML': (text) => text.replace(/[&<>"'`=]/g, (sign) => html[sign as keyof typeof html]),
  'as JSON': inJson,
  'as JSON with escaped slashes': (text) => inJson(text).replaceAll('/', '\\/'),
  'as JSON in ASCII': (text) =>
    inJson(text).replace(/[^\0-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  'as JSON in JSON': (text) => inJson(inJson(text)),
  'as JSON in a URL': (text) => encodeURIComponent(inJson(text)),
  'as hex': (text) => Buffer.from(text).toString('hex'),
  'as hex in upper case': (text) => Buffer.from(text).toString('hex').toUpperCase(),
  'as base64': (text) => stableBase64(text, 0),
  'as base64, one byte later': (text) => stableBase64(text, 1),
  'as base64, two bytes later': (text) => stableBase64(text, 2),
  'as base64url': (text) => stableBase64(text, 0).replaceAll('+', '-').replaceAll('/', '_'),
  'as base64 in a URL': (text) => encodeURIComponent(stableBase64(text, 0)),
}

/** The names of the encodings in which a text tells a secret. */
export function tracesOf(secret: string, text: string): string[] {
  return Object.keys(encodings).filter((name) => text.includes(encodings[name]?.(secret) ?? ''))
}

/** All texts of what is to be told, names too, and all of it as it is sent. */
export function toldTexts(value: unknown): string {
  const texts = [JSON.stringify(value)]
  const collect = (part: unknown): void => {
    if (typeof part === 'string') texts.push(part)
    if (typeof part !== 'object' || part === null) return
    for (const [name, member] of Object.entries(part)) {
      texts.push(name)
      collect(member)
    }
  }
  collect(value)
  return texts.join('\n')
}

const nasty = (extra: readonly string[]) =>
  fc.string({
    unit: fc.constantFrom(...'aB3/+=&%"\'\\ ?<>_-.:;~u0{}[]|^`@', ...extra),
    minLength: 1,
    maxLength: 12,
  })

/** Around a core that stands in no text by chance. */
const secretOf = (text: fc.Arbitrary<string>) =>
  fc.tuple(text, text).map(([before, after]) => `${before}k9Qz7${after}`.trim())

/** Secrets that a header can carry. */
export const headerSecret = secretOf(nasty(['é', '#']))
/** And others. */
export const anySecret = secretOf(nasty(['é', '#', '漢', '😀', '\n', '\t']))
