/** Names in lower case, values as Latin-1 text; a header that came more than once has all its values. */
export type ReceivedHeaders = Record<string, string | string[]>

export interface StatusLine {
  readonly httpVersion: '1.0' | '1.1'
  readonly status: number
  readonly statusText: string
}

export interface ResponseHead extends StatusLine {
  /** No name means anything but itself, whatever objects inherit. */
  readonly headers: ReceivedHeaders
}

const statusPattern = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: ([\t\x20-\x7e\x80-\xff]*))?$/
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/

/** Null for what is no status line of HTTP/1.0 or HTTP/1.1. The reason phrase may be missing, its space too. */
export function parseStatusLine(line: string): StatusLine | null {
  const match = statusPattern.exec(line)
  if (!match) return null
  const [, minor, status, statusText = ''] = match
  return { httpVersion: minor === '0' ? '1.0' : '1.1', status: Number(status), statusText }
}

/** Has no name but its own, as Object.create(null), which makes a table that is slow to write and to copy. */
class BareHeaders {
  [name: string]: string | string[]
}
Object.setPrototypeOf(BareHeaders.prototype, null)
Reflect.deleteProperty(BareHeaders.prototype, 'constructor')

/** Takes the lines of a header section, one by one. */
export class HeaderLines {
  readonly #headers: ReceivedHeaders = new BareHeaders()
  #name = ''
  #value = ''

  /** False for a line that is no header. One that begins with a blank goes on with the header before it (obs-fold). */
  add(line: string): boolean {
    const folded = isBlank(line.charCodeAt(0))
    const colon = folded ? -1 : line.indexOf(':')
    const value = withoutBlanks(line, colon + 1)
    if (!fieldValue.test(value)) return false
    if (folded) return this.#goOn(value)
    const name = colon > 0 ? line.slice(0, colon) : ''
    if (!token.test(name)) return false
    this.#settle()
    this.#name = name.toLowerCase()
    this.#value = value
    return true
  }

  /** All of them: no line follows. */
  end(): ReceivedHeaders {
    this.#settle()
    return this.#headers
  }

  #settle(): void {
    if (this.#name === '') return
    const earlier = this.#headers[this.#name]
    if (earlier === undefined) this.#headers[this.#name] = this.#value
    else if (typeof earlier === 'string') this.#headers[this.#name] = [earlier, this.#value]
    else earlier.push(this.#value)
  }

  #goOn(value: string): boolean {
    if (this.#name === '') return false
    if (value !== '') this.#value = this.#value === '' ? value : `${this.#value} ${value}`
    return true
  }
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}

/** From an index on. Only blanks go: String.trim would take the last byte of a UTF-8 "à" for a space. */
function withoutBlanks(line: string, from: number): string {
  let [start, end] = [from, line.length]
  while (start < end && isBlank(line.charCodeAt(start))) start += 1
  while (end > start && isBlank(line.charCodeAt(end - 1))) end -= 1
  return line.slice(start, end)
}
