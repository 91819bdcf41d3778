const sequence = 0x30
const integer = 0x02
const longForm = 0x80
const deepest = 8

interface Element {
  readonly tag: number
  readonly content: Buffer
  /** Where the next one begins. */
  readonly end: number
}

/** @throws RangeError when it is not DER */
function readElement(der: Buffer, start: number): Element {
  const tag = der.readUInt8(start)
  const first = der.readUInt8(start + 1)
  const lengthBytes = first < longForm ? 0 : first - longForm
  if (first === longForm || lengthBytes > 4) throw new RangeError('not a length of DER')
  const begin = start + 2 + lengthBytes
  const length = lengthBytes === 0 ? first : der.readUIntBE(start + 2, lengthBytes)
  if (begin + length > der.length) throw new RangeError('cut short')
  return { tag, content: der.subarray(begin, begin + length), end: begin + length }
}

function elementsOf(der: Buffer): Element[] {
  const elements: Element[] = []
  for (let at = 0; at < der.length; ) {
    const element = readElement(der, at)
    elements.push(element)
    at = element.end
  }
  return elements
}

function integersIn(der: Buffer, depth = 0): number[] {
  if (depth > deepest) throw new RangeError('nested too deeply')
  return elementsOf(der).flatMap(({ tag, content }) => {
    if (tag === sequence) return integersIn(content, depth + 1)
    return tag === integer ? [Number(`0x${content.toString('hex') || '0'}`)] : []
  })
}

/**
 * How much work a private key in PKCS #8 (RFC 5958) asks for before it opens: the rounds of PBKDF2 or of PKCS #12, or
 * N · r · p of scrypt (RFC 7914). Zero when it is not encrypted. Whoever made the key chose that number, and opening it
 * takes as long. @throws RangeError when it is not DER
 */
export function openingCost(pkcs8: Buffer): number {
  const [outer] = elementsOf(pkcs8)
  const [algorithm] = outer?.tag === sequence ? elementsOf(outer.content) : []
  if (algorithm?.tag !== sequence) return 0
  const numbers = integersIn(algorithm.content)
  const [n = 0, r = 1, p = 1] = numbers
  return numbers.length > 2 ? n * r * p : Math.max(0, ...numbers)
}
