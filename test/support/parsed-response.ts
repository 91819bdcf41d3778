import type { HttpErrorCode } from '../../src/runner/http/http-errors.ts'
import type { ResponseHead } from '../../src/runner/http/response-head.ts'
import { ResponseParser } from '../../src/runner/http/response-parser.ts'

export interface ParsedResponse {
  readonly head: ResponseHead | null
  /** As Latin-1 text. */
  readonly body: string
  readonly error: HttpErrorCode | null
  /** It was over before the connection was. */
  readonly endedEarly: boolean
  /** How many final responses were said to have begun. */
  readonly begun: number
}

export interface ParseOptions {
  readonly method?: string
  /** Where the bytes are cut, as indices; in one piece where none are given. */
  readonly cuts?: readonly number[]
  /** The connection stays open after the last byte. */
  readonly open?: boolean
}

/** What the parser makes of bytes, given as Latin-1 text. */
export function parse(text: string, options: ParseOptions = {}): ParsedResponse {
  const { method = 'GET', cuts = [], open = false } = options
  let [body, begun] = ['', 0]
  const parser = new ResponseParser(method, {
    onBegin: () => {
      begun += 1
    },
    onBody: (chunk, from, to) => {
      body += chunk.toString('latin1', from, to)
      return true
    },
  })
  for (const piece of cutAt(Buffer.from(text, 'latin1'), cuts)) parser.feed(piece)
  const endedEarly = parser.ended
  if (!open) parser.end()
  return { head: parser.head, body, error: parser.error?.code ?? null, endedEarly, begun }
}

function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const ends = [...new Set([...cuts.filter((cut) => cut < bytes.length), bytes.length])].sort((a, b) => a - b)
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
}
