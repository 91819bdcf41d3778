/** Pieces smaller than this are copied together: each Buffer costs more than a hundred bytes of its own. */
const smallBytes = 4096
const blockBytes = 32_768

/**
 * A body as it comes, up to a limit, mostly in the Buffers that it came in. Whatever way a target cuts it up, it holds
 * no more than about twice its bytes.
 */
export class BodyPieces {
  readonly #maxBytes: number
  readonly #pieces: Buffer[] = []
  #block: Buffer | null = null
  #blockUsed = 0
  #bytes = 0
  #capped = false

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  /** The body is longer than the limit. */
  get capped(): boolean {
    return this.#capped
  }

  /** Takes the bytes of a chunk from one index up to another, as far as the limit allows. */
  add(chunk: Buffer, from: number, to: number): void {
    const bytes = Math.min(to - from, this.#maxBytes - this.#bytes)
    this.#capped = bytes < to - from
    if (bytes === 0) return
    this.#bytes += bytes
    const piece = chunk.subarray(from, from + bytes)
    // What is kept uncopied keeps all of its chunk.
    const keepsLittleElse = bytes >= smallBytes && bytes * 2 >= chunk.length
    if (this.#pieces.length === 0 || keepsLittleElse || bytes > blockBytes) this.#keep(piece)
    else this.#copy(piece)
  }

  /** All that has come, in order. */
  end(): readonly Buffer[] {
    this.#emptyBlock()
    return this.#pieces
  }

  #keep(piece: Buffer): void {
    this.#emptyBlock()
    this.#pieces.push(piece)
  }

  #copy(piece: Buffer): void {
    if (this.#blockUsed + piece.length > blockBytes) this.#emptyBlock()
    this.#block ??= Buffer.allocUnsafeSlow(blockBytes)
    this.#blockUsed += piece.copy(this.#block, this.#blockUsed)
  }

  /** A block that is hardly used stays for what comes. */
  #emptyBlock(): void {
    if (!this.#block || this.#blockUsed === 0) return
    const used = this.#block.subarray(0, this.#blockUsed)
    const isFull = used.length * 2 >= blockBytes
    this.#pieces.push(isFull ? used : Buffer.from(used))
    if (isFull) this.#block = null
    this.#blockUsed = 0
  }
}
