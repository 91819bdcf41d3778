/**
 * What one attempt may hold of bodies in memory, out of what all attempts share. Whoever made it frees it when the
 * attempt's outcome is not needed any more.
 */
export interface BodyMemory {
  /** Whether there was room for so many bytes more; they are held from then on. */
  readonly take: (bytes: number) => boolean
}

/** For a single attempt whose caller bounds nothing. */
export const unboundedMemory: BodyMemory = { take: () => true }

/** The bytes that the bodies of all attempts may hold together: many large answers at once must not end the process. */
export class SharedBodyMemory {
  readonly #maxBytes: number
  #heldBytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get heldBytes(): number {
    return this.#heldBytes
  }

  /** The share of one attempt; `free` gives all of it back, once. */
  attempt(): BodyMemory & { readonly free: () => void } {
    let taken = 0
    return {
      take: (bytes) => {
        if (this.#heldBytes + bytes > this.#maxBytes) return false
        this.#heldBytes += bytes
        taken += bytes
        return true
      },
      free: () => {
        this.#heldBytes -= taken
        taken = 0
      },
    }
  }
}
