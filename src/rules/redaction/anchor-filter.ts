const gramLength = 4
const slotBits = 14

interface Anchored<T> {
  readonly anchor: string
  readonly owner: T
}

/**
 * Finds whose anchors stand in a text in one pass over it, however many there are: of each text the last four
 * characters are looked up in a table, of which most slots are empty.
 */
export class AnchorFilter<T> {
  /** By their first four characters. */
  readonly #byGram = new Map<number, Anchored<T>[]>()
  readonly #slots = new Uint8Array(1 << slotBits)
  /** Too short for the table. */
  readonly #short: Anchored<T>[] = []
  /** Without an anchor: they may be anywhere. */
  readonly #always: T[] = []

  add(owner: T, anchors: readonly string[]): void {
    if (anchors.length === 0) this.#always.push(owner)
    for (const anchor of anchors) {
      if (anchor.length < gramLength) this.#short.push({ anchor, owner })
      else this.#addLong({ anchor, owner })
    }
  }

  ownersIn(text: string): Set<T> {
    const found = new Set(this.#always)
    for (const { anchor, owner } of this.#short)
      if (!found.has(owner) && text.includes(anchor)) found.add(owner)
    if (this.#byGram.size > 0) this.#addLongOwners(text, found)
    return found
  }

  #addLong(anchored: Anchored<T>): void {
    let gram = 0
    for (let index = 0; index < gramLength; index += 1) gram = grow(gram, anchored.anchor.charCodeAt(index))
    const same = this.#byGram.get(gram)
    if (same) same.push(anchored)
    else this.#byGram.set(gram, [anchored])
    this.#slots[slotOf(gram)] = 1
  }

  #addLongOwners(text: string, found: Set<T>): void {
    const slots = this.#slots
    let gram = 0
    for (let index = 0; index < text.length; index += 1) {
      gram = grow(gram, text.charCodeAt(index))
      if (slots[slotOf(gram)] === 0) continue
      for (const { anchor, owner } of this.#byGram.get(gram) ?? []) {
        if (!found.has(owner) && text.startsWith(anchor, index - gramLength + 1)) found.add(owner)
      }
    }
  }
}

/** The last four characters in 32 bits: of anchors, letters and digits, all of them. */
function grow(gram: number, unit: number): number {
  return (gram << 8) | (unit & 0xff)
}

function slotOf(gram: number): number {
  return Math.imul(gram, 0x9e3779b1) >>> (32 - slotBits)
}
