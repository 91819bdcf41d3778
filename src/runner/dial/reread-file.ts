import { readFile, readFileSync } from 'node:fs'
import type { Clock } from '../../lib/clock.ts'

export interface RereadFileOptions<T> {
  readonly path: string
  readonly clock: Clock
  readonly parse: (text: string) => T
}

const rereadAfterMs = 10_000
const maxLength = 10_000_000

/**
 * What a small file of the machine says. It is read again every 10 s of use, beside the use that asks for it. A file that
 * cannot be read is empty at first; later, what was read last stays.
 */
export class RereadFile<T> {
  readonly #options: RereadFileOptions<T>
  #content: T
  #readAtMs: number

  constructor(options: RereadFileOptions<T>) {
    this.#options = options
    this.#readAtMs = options.clock.monotonicMs()
    this.#content = this.#parse(textOf(options.path))
  }

  get content(): T {
    const nowMs = this.#options.clock.monotonicMs()
    if (nowMs - this.#readAtMs >= rereadAfterMs) {
      this.#readAtMs = nowMs
      this.#reread()
    }
    return this.#content
  }

  #reread(): void {
    readFile(this.#options.path, 'utf8', (error, text) => {
      if (!error) this.#content = this.#parse(text)
    })
  }

  #parse(text: string): T {
    return this.#options.parse(text.slice(0, maxLength))
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
