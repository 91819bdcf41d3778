import type { Redactor } from '../../rules/redaction/create-redactor.ts'

/** Of a body, in bytes of UTF-8 (semantics §3). */
const maxStoredBytes = 1024 * 1024
/** Characters that are looked at beyond it: most secrets that the cap goes through are found as a whole. */
const marginCharacters = 65_536

export interface CutText {
  readonly text: string
  readonly truncated: boolean
}

/** What is kept of an answer. Secrets are taken out before it is cut: one that the cap goes through leaves nothing of itself. */
export function tellAnswer({ text, truncated }: CutText, redact: Redactor): CutText {
  const head = text.slice(0, maxStoredBytes + marginCharacters)
  const isCut = truncated || head.length < text.length
  const told = redact(head, isCut ? 'cut' : 'whole')
  const stored = cut(told)
  return { text: stored, truncated: isCut || stored.length < told.length }
}

function cut(text: string): string {
  // No character takes more than three bytes for each unit of its length.
  if (text.length * 3 <= maxStoredBytes || Buffer.byteLength(text) <= maxStoredBytes) return text
  const bytes = Buffer.from(text).subarray(0, maxStoredBytes)
  // A decoder that waits for more leaves a character cut in half away.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true })
}

/** Before each ellipsis the text may have been cut, and a secret with it. */
export function tellShortened(text: string, redact: Redactor): string {
  const [last = '', ...cutParts] = redact(text).split('…').reverse()
  return [...cutParts.reverse().map((part) => redact(part, 'cut')), last].join('…')
}
