const quote = 0x22
const backslash = 0x5c
const opening: ReadonlySet<number> = new Set([0x5b, 0x7b])
const closing: ReadonlySet<number> = new Set([0x5d, 0x7d])

/** Whether lists and objects of the JSON are in one another more than `most` deep; it need not be sound. */
export function isDeeperThan(json: Buffer, most: number): boolean {
  let depth = 0
  let inText = false
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0
    if (inText && byte === backslash) at += 1
    else if (byte === quote) inText = !inText
    else if (inText) continue
    else if (opening.has(byte)) depth += 1
    else if (closing.has(byte)) depth -= 1
    if (depth > most) return true
  }
  return false
}
