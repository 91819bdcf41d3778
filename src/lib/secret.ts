import { inspect } from 'node:util'

const redacted = '<redacted>'

/** A text that cannot be printed, logged or serialised by accident: only `reveal()` gives it away. */
export class Secret {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  reveal(): string {
    return this.#text
  }

  toString(): string {
    return redacted
  }

  toJSON(): string {
    return redacted
  }

  [inspect.custom](): string {
    return redacted
  }
}
