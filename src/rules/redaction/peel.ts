import { escapes, meaningOf } from './escapes.ts'

export type Span = readonly [start: number, end: number]
/** Where the characters from `start` up to `end` stood. */
type SpanOf = (start: number, end: number) => Span

/** A text with one layer of escapes taken off, and where its characters stood with them. */
interface Layer {
  readonly text: string
  readonly spanAbove: SpanOf
}

/** How many layers of escapes are taken off. */
export const maxDepth = 3

/** The text as it is, at depth 0, and with one layer of escapes after the other taken off. */
export function forEachLayer(
  text: string,
  visit: (layer: string, spanInText: SpanOf, depth: number) => void,
): void {
  let layer = text
  let spanInText: SpanOf = (start, end) => [start, end]
  for (let depth = 0; ; depth += 1) {
    visit(layer, spanInText, depth)
    const peeled = depth < maxDepth ? peel(layer) : null
    if (!peeled) return
    const above = spanInText
    spanInText = (start, end) => above(...peeled.spanAbove(start, end))
    layer = peeled.text
  }
}

/** Null when there is none. Of several kinds each is taken off once, so that any mixture of them is. */
export function peel(text: string): Layer | null {
  let peeled = ''
  const taken = new TakenEscapes()
  let from = 0
  for (const match of text.matchAll(escapes)) {
    const [written] = match
    const meaning = meaningOf(written)
    peeled += text.slice(from, match.index)
    from = match.index + written.length
    taken.add(peeled.length, meaning.length, match.index, from)
    peeled += meaning
  }
  if (from === 0) return null
  peeled += text.slice(from)
  return { text: peeled, spanAbove: (start, end) => taken.spanAbove(start, end) }
}

/** Where each escape stood, in the order of the text. */
class TakenEscapes {
  readonly #below: number[] = []
  readonly #widths: number[] = []
  readonly #starts: number[] = []
  readonly #ends: number[] = []

  add(below: number, width: number, start: number, end: number): void {
    this.#below.push(below)
    this.#widths.push(width)
    this.#starts.push(start)
    this.#ends.push(end)
  }

  spanAbove(start: number, end: number): Span {
    return [this.#characterAbove(start)[0], this.#characterAbove(end - 1)[1]]
  }

  #characterAbove(index: number): Span {
    const last = this.#lastUpTo(index)
    const [below, width, start, end] = [
      this.#below[last],
      this.#widths[last],
      this.#starts[last],
      this.#ends[last],
    ]
    if (below === undefined || width === undefined || start === undefined || end === undefined) {
      return [index, index + 1]
    }
    const beyond = index - below - width
    return beyond < 0 ? [start, end] : [end + beyond, end + beyond + 1]
  }

  /** Number of the last escape at this index or before it; -1 for none. */
  #lastUpTo(index: number): number {
    let low = 0
    let high = this.#below.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#below[middle] ?? 0) <= index) low = middle + 1
      else high = middle
    }
    return low - 1
  }
}
