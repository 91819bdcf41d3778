import { redacted } from '../sensitive-headers.ts'
import type { Span } from './peel.ts'

/** Blots out parts of a text; those that touch become one. */
export class Ink {
  readonly #text: string
  #covered: Uint8Array | null = null

  constructor(text: string) {
    this.#text = text
  }

  cover([start, end]: Span): void {
    if (start >= end) return
    this.#covered ??= new Uint8Array(this.#text.length)
    this.#covered.fill(1, start, end)
  }

  redactedText(): string {
    const covered = this.#covered
    if (!covered) return this.#text
    const length = this.#text.length
    const next = (value: 0 | 1, from: number) => {
      const index = covered.indexOf(value, from)
      return index < 0 ? length : index
    }
    let text = ''
    for (let from = 0; from < length; ) {
      const start = next(1, from)
      text += this.#text.slice(from, start)
      if (start < length) text += redacted
      from = next(0, start)
    }
    return text
  }
}
