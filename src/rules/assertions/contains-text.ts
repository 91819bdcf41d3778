/** Up to these the engine's own search ends within milliseconds, whatever the texts. */
const quickProduct = 10_000_000
const shortPart = 32

/**
 * Whether the text holds the part, in time that grows with the sum of their lengths. The engine's own search is faster
 * as a rule, but its worst case is their product (25 MB × 64 KB: minutes), and no thread can be ended while it lasts.
 */
export function containsText(text: string, part: string): boolean {
  const isQuick = part.length <= shortPart || text.length * part.length <= quickProduct
  return isQuick ? text.includes(part) : searchLinearly(text, part)
}

/** Knuth, Morris and Pratt: no character of the text is looked at again after it was passed. */
function searchLinearly(text: string, part: string): boolean {
  const fallbacks = fallbacksOf(part)
  let matched = 0
  for (let at = 0; at < text.length; at += 1) {
    matched = step(part, fallbacks, matched, text.charCodeAt(at))
    if (matched === part.length) return true
  }
  return false
}

/** For each length of a beginning of `part`: the longest shorter beginning that it ends in. */
function fallbacksOf(part: string): Int32Array {
  const fallbacks = new Int32Array(part.length + 1)
  let matched = 0
  for (let at = 1; at < part.length; at += 1) {
    matched = step(part, fallbacks, matched, part.charCodeAt(at))
    fallbacks[at + 1] = matched
  }
  return fallbacks
}

function step(part: string, fallbacks: Int32Array, before: number, unit: number): number {
  let matched = before
  while (matched > 0 && part.charCodeAt(matched) !== unit) matched = fallbacks[matched] ?? 0
  return part.charCodeAt(matched) === unit ? matched + 1 : 0
}
