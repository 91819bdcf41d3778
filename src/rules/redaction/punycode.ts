// RFC 3492 §5 and §6.2.
const base = 36
const tMin = 1
const tMax = 26
const skew = 38
const damp = 700
const initialBias = 72
const firstBeyondAscii = 0x80
const lastCodePoint = 0x10_ff_ff

/** The letters of a label, given what stands behind its `xn--`; null for what no name is written as. */
export function decodePunycode(encoded: string): string | null {
  const end = encoded.lastIndexOf('-')
  const letters = [...encoded.slice(0, Math.max(end, 0))]
  let at = 0
  let codePoint = firstBeyondAscii
  let bias = initialBias
  for (let from = end + 1; from < encoded.length; ) {
    const read = readDelta(encoded, from, bias)
    if (!read) return null
    const length = letters.length + 1
    codePoint += Math.floor((at + read.delta) / length)
    if (codePoint > lastCodePoint) return null
    bias = adapt(read.delta, length, at === 0)
    at = (at + read.delta) % length
    letters.splice(at, 0, String.fromCodePoint(codePoint))
    at += 1
    from = read.next
  }
  return letters.join('')
}

/** A number of variable length (§3.3). */
function readDelta(encoded: string, from: number, bias: number): { delta: number; next: number } | null {
  let delta = 0
  let weight = 1
  for (let at = from, k = base; at < encoded.length; at += 1, k += base) {
    const digit = digitOf(encoded.charCodeAt(at))
    delta += digit * weight
    if (digit === base || delta > Number.MAX_SAFE_INTEGER) return null
    const threshold = Math.min(tMax, Math.max(tMin, k - bias))
    if (digit < threshold) return { delta, next: at + 1 }
    weight *= base - threshold
  }
  return null
}

/** 36 for what is none. */
function digitOf(unit: number): number {
  const letter = (unit | 0x20) - 0x61
  if (letter >= 0 && letter < 26) return letter
  return unit >= 0x30 && unit <= 0x39 ? unit - 0x30 + 26 : base
}

function adapt(delta: number, length: number, isFirst: boolean): number {
  let left = Math.floor(delta / (isFirst ? damp : 2))
  left += Math.floor(left / length)
  let k = 0
  for (; left > ((base - tMin) * tMax) / 2; k += base) left = Math.floor(left / (base - tMin))
  return k + Math.floor(((base - tMin + 1) * left) / (left + skew))
}
