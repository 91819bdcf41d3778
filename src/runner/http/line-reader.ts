const lineFeed = 0x0a
const carriageReturn = '\r'

/** Cuts lines out of chunks of bytes, as Latin-1 text: a line ends with CRLF or a bare LF (RFC 9112 §2.2). */
export class LineReader {
  /** Joined without being copied: a line that comes byte by byte takes no longer than one that comes whole. */
  #text = ''
  #complete = true

  /** The line read last, complete or not, as far as it has come; without its line feed. */
  get text(): string {
    return this.#text
  }

  /** The line read last, complete, without its end. */
  get line(): string {
    return this.#text.endsWith(carriageReturn) ? this.#text.slice(0, -1) : this.#text
  }

  /** Of the line read last, its line feed included. */
  get bytes(): number {
    return this.#text.length + (this.#complete ? 1 : 0)
  }

  /** Of a line that has not come to its end. */
  get pendingBytes(): number {
    return this.#complete ? 0 : this.#text.length
  }

  /** Whether a line has begun and not come to its end; a carriage return alone begins none. */
  get isMidLine(): boolean {
    return this.pendingBytes > 0 && this.#text !== carriageReturn
  }

  /** Reads on from an index of a chunk. Gives the index after the line, or -1 where the chunk ends before it does. */
  read(chunk: Buffer, at: number): number {
    const end = chunk.indexOf(lineFeed, at)
    const text = chunk.toString('latin1', at, end === -1 ? chunk.length : end)
    this.#text = this.#complete ? text : this.#text + text
    this.#complete = end !== -1
    return this.#complete ? end + 1 : -1
  }
}
