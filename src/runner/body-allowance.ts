import { AppError } from '../lib/app-error.ts'
import type { BodyMemory } from './body-memory.ts'

/** Every response may have so much without asking; more is asked for in steps of as much. */
const stepBytes = 65_536

/** What the bodies of one attempt may hold in memory, as they come and decompressed. */
export class BodyAllowance {
  readonly #memory: BodyMemory
  #allowedBytes = stepBytes
  #usedBytes = 0

  constructor(memory: BodyMemory) {
    this.#memory = memory
  }

  /** The body of the response before is let go: what was allowed for it is there for the next. */
  begin(): void {
    this.#usedBytes = 0
  }

  /** Null where there is room for so many bytes more, else our own fault. */
  use(bytes: number): AppError | null {
    this.#usedBytes += bytes
    const missing = this.#usedBytes - this.#allowedBytes
    if (missing <= 0) return null
    const step = Math.max(missing, stepBytes)
    if (!this.#memory.take(step)) {
      return new AppError('BODY_MEMORY_FULL', 'The memory for bodies of answers is used up')
    }
    this.#allowedBytes += step
    return null
  }

  /** So many bytes are held no longer, before the body is at its end. */
  letGo(bytes: number): void {
    this.#usedBytes -= bytes
  }
}
