import { bodyFraming } from './body-framing.ts'
import { closed, type HttpError, headersTooLarge, malformed, truncated } from './http-errors.ts'
import { LineReader } from './line-reader.ts'
import { HeaderLines, parseStatusLine, type ResponseHead, type StatusLine } from './response-head.ts'

export interface ResponseSink {
  /** The final response has begun. */
  onBegin(): void
  /** A part of the body: the bytes of a chunk from one index up to another. False for no more of it. */
  onBody(chunk: Buffer, from: number, to: number): boolean
}

/** Of all heads of a response together, trailers included. */
const maxHeadBytes = 65_536
const maxHeaderLines = 1000
const maxInterims = 20
/** Of one line that tells a chunk's size and extensions. */
const maxSizeLineBytes = 4096
const lineEndBytes = 2

const beginning = 'HTTP/1.'
const finalBeginning = /^HTTP\/1\.[01] [2-9]/
/** So many bytes of a status line tell whether the response is a final one. */
const tellingBytes = 10
const sizePattern = /^([0-9A-Fa-f]{1,32})(?:[\t ]*;[\t\x20-\x7e\x80-\xff]*)?$/

type LineState = 'status' | 'headers' | 'chunk-size' | 'chunk-end' | 'trailers'
type State = LineState | 'sized' | 'chunk' | 'until-close' | 'ended'

/**
 * Reads one response of HTTP/1.0 or HTTP/1.1 as it comes, interim ones skipped (RFC 9112). How its bytes are cut into
 * chunks changes nothing.
 */
export class ResponseParser {
  readonly #method: string
  readonly #sink: ResponseSink
  readonly #lines = new LineReader()
  #state: State = 'status'
  #status: StatusLine | null = null
  #headers = new HeaderLines()
  #head: ResponseHead | null = null
  #error: HttpError | null = null
  #begun = false
  #interims = 0
  #headBytes = 0
  #headerLines = 0
  /** Of the body or of the chunk of it. */
  #bytesLeft = 0

  /** `method`: the request's. */
  constructor(method: string, sink: ResponseSink) {
    this.#method = method
    this.#sink = sink
  }

  /** The final response's, once it is complete. */
  get head(): ResponseHead | null {
    return this.#head
  }

  /** Nothing further is read: the response is complete, was cut off by the sink, or is in error. */
  get ended(): boolean {
    return this.#state === 'ended'
  }

  get error(): HttpError | null {
    return this.#error
  }

  feed(chunk: Buffer): void {
    let at = 0
    while (at < chunk.length && this.#state !== 'ended') at = this.#step(chunk, at, this.#state)
  }

  /** The connection has come to its end in order. */
  end(): void {
    if (this.#state === 'ended') return
    const isNothing = this.#state === 'status' && !this.#lines.isMidLine
    this.#state = this.#state === 'until-close' ? 'ended' : this.#fail(isNothing ? closed : truncated)
  }

  /** Takes what it can of a chunk and gives the index after that. */
  #step(chunk: Buffer, at: number, state: Exclude<State, 'ended'>): number {
    if (state === 'until-close') return this.#takeBody(chunk, at, chunk.length)
    if (state === 'sized' || state === 'chunk') return this.#takeSized(chunk, at, state)
    const isUnknown = state === 'status' && this.#lines.pendingBytes < tellingBytes
    const next = this.#lines.read(chunk, at)
    const fault = (isUnknown ? this.#recognise(this.#lines.text) : null) ?? this.#excess(state)
    if (fault) this.#state = this.#fail(fault)
    else if (next !== -1) this.#state = this.#takeLine(state)
    return next === -1 ? chunk.length : next
  }

  #takeBody(chunk: Buffer, from: number, to: number): number {
    if (!this.#sink.onBody(chunk, from, to)) this.#state = 'ended'
    return to
  }

  #takeSized(chunk: Buffer, at: number, state: 'sized' | 'chunk'): number {
    const end = Math.min(chunk.length, at + this.#bytesLeft)
    this.#bytesLeft -= end - at
    this.#takeBody(chunk, at, end)
    if (this.#bytesLeft === 0 && !this.ended) this.#state = state === 'chunk' ? 'chunk-end' : 'ended'
    return end
  }

  /** A target that speaks something else shows it at once: it may be waiting for us. */
  #recognise(text: string): HttpError | null {
    const shown = text.slice(0, beginning.length)
    if (text !== '' && text !== '\r' && !beginning.startsWith(shown)) return malformed
    if (finalBeginning.test(text)) this.#begin()
    return null
  }

  #begin(): void {
    if (this.#begun) return
    this.#begun = true
    this.#sink.onBegin()
  }

  /** A line that is too long, whether it has come to its end or not. */
  #excess(state: LineState): HttpError | null {
    const { bytes } = this.#lines
    if (state === 'chunk-size') return bytes > maxSizeLineBytes ? malformed : null
    if (state === 'chunk-end') return bytes > lineEndBytes ? malformed : null
    return this.#headBytes + bytes > maxHeadBytes ? headersTooLarge : null
  }

  #takeLine(state: LineState): State {
    const { line, bytes } = this.#lines
    if (state === 'chunk-size') return this.#takeSize(line)
    if (state === 'chunk-end') return line === '' ? 'chunk-size' : this.#fail(malformed)
    this.#headBytes += bytes
    if (state === 'status') return this.#takeStatus(line)
    if (line !== '') return this.#takeHeader(line, state)
    return state === 'trailers' ? 'ended' : this.#endHead()
  }

  #takeStatus(line: string): State {
    if (line === '') return 'status'
    this.#status = parseStatusLine(line)
    if (!this.#status) return this.#fail(malformed)
    if (isFinal(this.#status)) this.#begin()
    return 'headers'
  }

  #takeHeader(line: string, state: 'headers' | 'trailers'): State {
    this.#headerLines += 1
    if (this.#headerLines > maxHeaderLines) return this.#fail(headersTooLarge)
    return this.#headers.add(line) ? state : this.#fail(malformed)
  }

  #endHead(): State {
    const headers = this.#headers.end()
    this.#headers = new HeaderLines()
    if (this.#status && isFinal(this.#status)) return this.#beginBody({ ...this.#status, headers })
    this.#interims += 1
    return this.#interims > maxInterims ? this.#fail(headersTooLarge) : 'status'
  }

  #beginBody(head: ResponseHead): State {
    const framing = bodyFraming(head, this.#method)
    if (framing === 'malformed') return this.#fail(malformed)
    this.#head = head
    if (framing === 'until-close') return 'until-close'
    if (framing === 'chunked') return 'chunk-size'
    this.#bytesLeft = framing
    return framing === 0 ? 'ended' : 'sized'
  }

  #takeSize(line: string): State {
    const digits = sizePattern.exec(line)?.[1]
    const bytes = digits === undefined ? Number.NaN : Number.parseInt(digits, 16)
    if (!Number.isSafeInteger(bytes)) return this.#fail(malformed)
    this.#bytesLeft = bytes
    return bytes === 0 ? 'trailers' : 'chunk'
  }

  #fail(error: HttpError): State {
    this.#error = error
    return 'ended'
  }
}

/** After 101 the connection speaks something else: no other response follows. */
function isFinal({ status }: StatusLine): boolean {
  return status >= 200 || status === 101
}
