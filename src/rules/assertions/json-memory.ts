/**
 * Bytes on a 64-bit heap of V8, measured with documents of each kind and rounded up. A member whose name is a number
 * makes room for all smaller ones; a name that was not met before makes a shape of its own.
 */
const bytesOf = { list: 56, object: 64, place: 24, text: 24, newName: 200, numberName: 300 } as const

/** No kind of document takes more, so that a short one needs no counting. */
const mostPerCharacter = 40

/** Of those remembered: each beyond them counts as new. */
const maxNames = 10_000

/**
 * Whether a JSON text takes more bytes of memory once it is parsed, about: 25 MB of text may become a thousand. Counted
 * before, because a heap that overflows within JSON.parse takes the whole process with it, also from a thread whose
 * heap has a limit (nodejs/node#47224).
 */
export function takesMoreMemory(text: string, maxBytes: number): boolean {
  if (text.length * mostPerCharacter <= maxBytes) return false
  const names = new Set<string>()
  let bytes = 0
  for (let at = 0; at < text.length && bytes <= maxBytes; at += 1) {
    switch (text.charAt(at)) {
      case '{':
        bytes += bytesOf.object
        break
      case '[':
        bytes += bytesOf.list
        break
      case ',':
        bytes += bytesOf.place
        break
      case '"': {
        const end = endOfText(text, at)
        bytes += isName(text, end)
          ? bytesOfName(text.slice(at + 1, end), names)
          : bytesOf.text + 2 * (end - at)
        at = end
      }
    }
  }
  return bytes > maxBytes
}

/** Where the text in quotes that begins at `start` ends. */
function endOfText(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end < 0 ? text.length : end
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1
  while (text.charAt(before) === '\\') before -= 1
  return (at - before) % 2 === 0
}

function isName(text: string, end: number): boolean {
  let after = end + 1
  while (after < text.length && text.charAt(after).trim() === '') after += 1
  return text.charAt(after) === ':'
}

function bytesOfName(name: string, names: Set<string>): number {
  if (/^\d{1,10}$/.test(name)) return bytesOf.numberName
  if (names.has(name)) return bytesOf.place
  if (names.size < maxNames) names.add(name)
  return bytesOf.newName + 2 * name.length
}
