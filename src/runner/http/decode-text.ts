import { setImmediate } from 'node:timers/promises'

/** So much is decoded in one go: a few milliseconds in the slowest of encodings. */
const goBytes = 131_072
const atOnceBytes = 1_048_576
const byteOrderMark = 0xfeff

/** By what a body begins with (the Encoding Standard: it is more to be believed than any header). */
const marks: readonly [encoding: string, bytes: Buffer][] = [
  ['utf-8', Buffer.from([0xef, 0xbb, 0xbf])],
  ['utf-16be', Buffer.from([0xfe, 0xff])],
  ['utf-16le', Buffer.from([0xff, 0xfe])],
]

/** The encoding of a text, by its first bytes, else by the charset it is said to have; UTF-8 where nobody knows that. */
export function encodingOf(chunks: readonly Buffer[], charset: string): string {
  const beginning = beginningOf(chunks)
  const mark = marks.find(([, bytes]) => beginning.subarray(0, bytes.length).equals(bytes))
  return mark?.[0] ?? knownEncoding(charset)
}

/** Without its byte order mark. A large text comes in many goes: others have their turn in between. */
export function decodeText(chunks: readonly Buffer[], encoding: string): string | Promise<string> {
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  if (bytes > atOnceBytes) return decodeInGoes(chunks, encoding)
  const [first] = chunks
  const data = chunks.length === 1 && first ? first : Buffer.concat(chunks)
  if (encoding !== 'utf-8') return new TextDecoder(encoding).decode(data)
  const text = data.toString('utf8')
  return text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text
}

async function decodeInGoes(chunks: readonly Buffer[], encoding: string): Promise<string> {
  const decoder = new TextDecoder(encoding)
  let text = ''
  let sinceTurn = 0
  for (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += goBytes) {
      const part = chunk.subarray(at, at + goBytes)
      text += decoder.decode(part, { stream: true })
      sinceTurn += part.length
      if (sinceTurn < goBytes) continue
      sinceTurn = 0
      await setImmediate()
    }
  }
  return text + decoder.decode()
}

/** Its first three bytes at least, where there are so many. */
function beginningOf(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks
  return first && first.length >= 3
    ? first
    : Buffer.concat(chunks.slice(0, 3).map((chunk) => chunk.subarray(0, 3)))
}

function knownEncoding(charset: string): string {
  if (charset === 'utf-8') return charset
  try {
    return new TextDecoder(charset).encoding
  } catch {
    return 'utf-8'
  }
}
