import { weighedCache } from '../template/weighed-cache.ts'
import { AnchorFilter } from './anchor-filter.ts'
import { looseEnd } from './escapes.ts'
import { Ink } from './ink.ts'
import { danglingLength, eachMatch } from './matches.ts'
import { forEachLayer, maxDepth, peel } from './peel.ts'
import { SecretForms } from './secret-forms.ts'

/** `cut`: the text ends where it was cut off, so that the beginning of a secret at its end, of 4 characters or more, is one too. */
export type Redactor = (text: string, end?: 'whole' | 'cut') => string

/**
 * Puts `<redacted>` in the place of every secret in a text: as it is; escaped for URLs, forms, JSON, HTML or DNS, one
 * upon the other up to three deep, in whatever mixture; in lower case and in punycode, as in host names, of which the
 * whole label goes; read in a wrong charset; as hex; as base64 and base64url, wherever it stands in what was encoded,
 * before or after escaping, in one line or in many. Where secrets overlap all of it is taken out.
 *
 * A secret of one to three characters is not looked for as base64 or hex: these would be found in any text. Blanks
 * around a secret do not count, and one of blanks only hides nothing. Letters and digits are not expected to be
 * escaped, and what is escaped twice is not found where a percent sign in it makes another escape of what stands
 * beside it. A text that holds no secret costs one pass over it, a few milliseconds for a million characters; ten
 * times as much where a secret has no four letters or digits in a row.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  // Header values lose the blanks around them on their way.
  const all = [...new Set(secrets.map((secret) => secret.trim()))]
    .filter((secret) => secret !== '')
    .map(formsOf)
  if (all.length === 0) return (text) => text
  const filter = new AnchorFilter<SecretForms>()
  for (const forms of all) filter.add(forms, forms.anchors)
  return (text, end = 'whole') => {
    const ink = new Ink(text)
    coverSecrets(text, filter.ownersIn(text), ink)
    if (end === 'cut') ink.cover([danglingStart(text, all), text.length])
    return ink.redactedText()
  }
}

/** Most checks share the secrets of their account. */
const formsOf = weighedCache<SecretForms>({
  make: (secret) => new SecretForms(secret),
  // As many texts again are made where escapes are taken off.
  weigh: (_secret, { texts, anchors }) => 2 * bytesOf(texts) + bytesOf(anchors),
  maxWeight: 32_000_000,
})

function bytesOf(texts: readonly string[]): number {
  return texts.reduce((bytes, text) => bytes + 2 * text.length + 32, 0)
}

function coverSecrets(text: string, secrets: ReadonlySet<SecretForms>, ink: Ink): void {
  if (secrets.size === 0) return
  forEachLayer(text, (layer, spanInText, depth) => {
    for (const { texts, peeledTexts } of secrets) {
      for (const form of depth === 0 ? texts : peeledTexts) {
        eachMatch(form, layer, (start, end) => ink.cover(spanInText(start, end)))
      }
    }
  })
}

const minDanglingLength = 4
/** What is left of a label in punycode says nothing of its letters' places, and holds those that are ASCII. */
const cutPunycode = /xn--[a-z\d-]*$/i
const maxLabelLength = 63
/** No character takes more in escapes, one upon the other. */
const maxEscapeLength = 36

/** Where the beginning of a secret begins that the text ends with; its length for none. */
function danglingStart(text: string, secrets: readonly SecretForms[]): number {
  const longest = Math.max(...secrets.flatMap(({ texts }) => texts).map((form) => form.length))
  const tail = text.slice(-longest * maxEscapeLength)
  const start = text.length - tail.length + danglingStartAt(0, tail, secrets)
  const label = secrets.some(({ isBeyondAscii }) => isBeyondAscii) ? cutLabelLength(text) : 0
  return Math.min(start, text.length - label)
}

function cutLabelLength(text: string): number {
  return cutPunycode.exec(text.slice(-maxLabelLength))?.[0].length ?? 0
}

function danglingStartAt(depth: number, text: string, secrets: readonly SecretForms[]): number {
  let first = text.length
  for (const ending of new Set([text, text.replace(looseEnd, '')])) {
    for (const form of secrets.flatMap(({ texts, peeledTexts }) => (depth === 0 ? texts : peeledTexts))) {
      const length = danglingLength(form, ending, minDanglingLength)
      if (length > 0) first = Math.min(first, ending.length - length)
    }
    const peeled = depth < maxDepth ? peel(ending) : null
    if (!peeled) continue
    const start = danglingStartAt(depth + 1, peeled.text, secrets)
    if (start < peeled.text.length) first = Math.min(first, peeled.spanAbove(start, start + 1)[0])
  }
  return first
}
