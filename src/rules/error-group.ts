import type { Conclusion } from '../contract/result.ts'

/** What is kept of a message: enough to know it by. */
const longestMessage = 2000

/** In this order: what an earlier one took, a later one does not see. */
const replacements: readonly (readonly [RegExp, string])[] = [
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?/g, '<time>'],
  [/\b\d\d:\d\d:\d\d(?:\.\d{1,9})?\b/g, '<time>'],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '<id>'],
  [/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/g, '<address>'],
  [/(?<![\w:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:])/gi, '<address>'],
  [/\b0x[0-9a-f]{1,64}\b/gi, '<hex>'],
  [/\b(?=[a-f]{0,63}\d)[0-9a-f]{8,128}\b/gi, '<hex>'],
  [/\b(?=[a-z]{0,127}\d)(?=\d{0,127}[a-z])[0-9a-z]{16,128}\b/gi, '<id>'],
]
const anyNumber = /\d{1,64}(?:[.,]\d{1,64})*/g
/** In a sentence on the status its number is what tells one failure from another. */
const ofStatus = /\bstatus(?:_code)?\b/i
const isStatus = /^[1-5]\d\d$/

/**
 * The message as it is shown: at most 2000 characters, and nothing in it that a database cannot store.
 */
export function rawMessage(message: string): string {
  return message.slice(0, longestMessage).toWellFormed().replaceAll('\u0000', '\uFFFD')
}

/**
 * The message without what is another in each run of the same failure: times, ids, addresses, hexadecimal texts and
 * numbers (service.md, Error group). Two that are alike afterwards are one group.
 */
export function cleanedMessage(message: string): string {
  const raw = rawMessage(message)
  const named = replacements.reduce((text, [pattern, name]) => text.replace(pattern, name), raw)
  const keepsStatus = ofStatus.test(raw)
  return named
    .replace(anyNumber, (number) => (keepsStatus && isStatus.test(number) ? number : '<number>'))
    .replace(/\s{1,2000}/g, ' ')
    .trim()
}

/**
 * What a failing result is grouped by: why there was no answer, or else the first assertion that does not hold, or else
 * why the verdict fell so. Null for a result that is no failure of its target.
 */
export function failureMessage(conclusion: Conclusion): string | null {
  if (conclusion.kind !== 'judged' || conclusion.verdict.state !== 'failing') return null
  const { outcome, assertions, verdict } = conclusion
  const broken = assertions.find(({ holds }) => !holds)
  const cause = outcome.kind === 'observed' ? null : outcome.cause.message
  return cause ?? broken?.message ?? verdict.reasons[0] ?? null
}
