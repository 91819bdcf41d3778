import { engine } from '../template/engine.ts'
import { type HostForms, hostForms } from './host-forms.ts'
import { peel } from './peel.ts'

/** Shorter secrets are looked for as they are and in escapes: their base64 and hex would be found in any text. */
const minEncodedLength = 4
/** Shorter ones are words of any text. */
const minKeptLength = 8
/** No line of base64 is shorter. */
const minLineCharacters = 32
/** Enough to be rare, and few to compare at every place of a text where all are the same. */
const maxAnchorCharacters = 32

/** Every text that gives a secret away; see createRedactor. */
export class SecretForms {
  readonly texts: readonly string[]
  /**
   * Letters and digits. Where none of them stands in a text, none of the forms does, in whatever escapes. Empty where
   * that cannot be said.
   */
  readonly anchors: readonly string[]
  /** A name with it is told in punycode. */
  readonly isBeyondAscii: boolean
  #peeledTexts: readonly string[] | null = null

  /** @param value not empty */
  constructor(value: string) {
    const host = hostForms(value)
    const plain = plainForms(value, host)
    const escaped = escapedForms(value)
    const runs = plain.map(longestRun)
    const wholes = value.length < minEncodedLength ? [] : [value, ...escaped, ...inAscii(host)]
    const hex = wholes.flatMap(hexForms)
    const base64 = wholes.flatMap(base64Forms)
    this.isBeyondAscii = inAscii(host).length > 0
    this.texts = distinct([
      ...[...plain, ...escaped, ...jsonForms(value), ...urlForms(value), ...hex],
      ...base64.flatMap((form) => [form, encodeURIComponent(form)]),
    ])
    const anchors = [...runs, ...hex, ...base64.flatMap(halves).map(longestRun)]
    const short = anchors.map((anchor) => anchor.slice(0, maxAnchorCharacters))
    this.anchors = runs.includes('') ? [] : distinct(short).filter((anchor) => anchor !== '')
  }

  /** What is looked for where escapes were taken off: something in the secret itself may look like one. */
  get peeledTexts(): readonly string[] {
    this.#peeledTexts ??= distinct(this.texts.flatMap((text) => [text, ...peeledForms(text)]))
    return this.#peeledTexts
  }
}

const distinct = (texts: readonly string[]) => [...new Set(texts)]

function peeledForms(text: string): string[] {
  const layer = peel(text)
  return layer && layer.text !== '' ? [layer.text, ...peeledForms(layer.text)] : []
}

/** As it is, in lower case and in the letters that host names are told in, as URLs keep it, and read in a wrong charset. */
function plainForms(value: string, host: HostForms | null): string[] {
  const inHosts = host ? [host.letters] : []
  if (value.length < minEncodedLength) return [value, ...inHosts]
  return [value, value.toLowerCase(), ...inHosts, ...inUrls(value), ...misread(value)]
}

/** Punycode is taken off wherever it stands in a text, and not where that was encoded as hex or base64. */
function inAscii(host: HostForms | null): string[] {
  return host && host.ascii !== host.letters ? [host.ascii] : []
}

/** Without its line breaks, its slashes turned, and what the beginning of a fragment or of an HTML escape leaves of it. */
function inUrls(value: string): string[] {
  const [kept = ''] = value.split(/[#'`=]/)
  const enough = kept.length >= minKeptLength && kept.length * 2 >= value.length
  return [withoutLineBreaks(value), value.replaceAll('\\', '/'), ...(enough ? [kept] : [])]
}

function withoutLineBreaks(text: string): string {
  return text.replace(/[\t\r\n]/g, '')
}

/** UTF-8 that was read as Latin-1 or Windows-1252, and Latin-1 that was read as UTF-8. */
function misread(value: string): string[] {
  const bytes = utf8.encode(value)
  if (bytes.length === value.length) return []
  const asWindows = new TextDecoder('windows-1252').decode(bytes)
  const units = Array.from(value, (character) => character.charCodeAt(0))
  const asUtf8 = units.every((unit) => unit < 256) ? [new TextDecoder().decode(Uint8Array.from(units))] : []
  return [binaryOf(bytes), asWindows, ...asUtf8]
}

/** As templates and JSON write it. */
function escapedForms(value: string): string[] {
  return [engine.escapeExpression(value), JSON.stringify(value).slice(1, -1)]
}

// Taking off escapes finds the following, too, unless what stands beside them looks like an escape together with them.

/** With escaped slashes, and in ASCII. */
function jsonForms(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1)
  const ascii = json.replace(/[^\0-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return [json, ascii].flatMap((text) => [text, text.replaceAll('/', '\\/')])
}

/** As a component and as a form, in upper and lower case, and as URLs write it in a query and in a path. */
function urlForms(value: string): string[] {
  const component = encodeURIComponent(value.toWellFormed())
  const form = new URLSearchParams([['', value]]).toString().slice(1)
  const kept = withoutLineBreaks(value)
  return [
    ...[component, component.replaceAll('%20', '+'), form].flatMap((text) => [text, withLowerEscapes(text)]),
    kept.replace(/[^!$-&(-;=?-~]+/g, percentEncoded),
    kept.replace(/[^!$-;=@-\]_a-z|~]+/g, percentEncoded),
  ]
}

function withLowerEscapes(text: string): string {
  return text.replace(/%../g, (code) => code.toLowerCase())
}

function percentEncoded(text: string): string {
  return hexOf(text).toUpperCase().replace(/../g, '%$&')
}

/** What of the base64 of any text with this in it does not depend on what stands beside it: there are three ways to begin. */
function base64Forms(text: string): string[] {
  const binary = binaryOf(utf8.encode(text))
  return [0, 1, 2].flatMap((before) => {
    const encoded = btoa('\0'.repeat(before) + binary)
    const stable = encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + binary.length) * 8) / 6))
    return [stable, stable.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

function hexForms(text: string): string[] {
  const lower = hexOf(text)
  return [lower, lower.toUpperCase()]
}

function hexOf(text: string): string {
  return Array.from(utf8.encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Where a line ends in it, one of two neighbouring parts is whole. */
function halves(text: string): string[] {
  const half = Math.min(Math.ceil(text.length / 2), minLineCharacters / 2)
  return [text.slice(0, half), text.slice(half, 2 * half)]
}

/** Of letters and digits. */
function longestRun(text: string): string {
  const runs = text.match(/[A-Za-z0-9]+/g) ?? []
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest), '')
}

const utf8 = new TextEncoder()
const chunkBytes = 8192

/** One character for each byte. */
function binaryOf(bytes: Uint8Array): string {
  let text = ''
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    text += String.fromCharCode(...bytes.subarray(start, start + chunkBytes))
  }
  return text
}
