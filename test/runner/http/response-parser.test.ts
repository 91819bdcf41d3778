import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ParseOptions, parse } from '../../support/parsed-response.ts'

const ok = 'HTTP/1.1 200 OK\r\n'
const headers = (text: string) => parse(text).head?.headers
const error = (text: string, options?: ParseOptions) => parse(text, options).error

describe('a status line', () => {
  test.each([
    ['HTTP/1.1 200 OK', '1.1', 200, 'OK'],
    ['HTTP/1.0 404 Not Found', '1.0', 404, 'Not Found'],
    ['HTTP/1.1 200 ', '1.1', 200, ''],
    ['HTTP/1.1 200', '1.1', 200, ''],
    ['HTTP/1.1 299 \xe4\ttab', '1.1', 299, '\xe4\ttab'],
    ['HTTP/1.1 999 x', '1.1', 999, 'x'],
  ])('%j is understood', (line, httpVersion, status, statusText) => {
    expect(parse(`${line}\r\n\r\n`)).toMatchObject({ head: { httpVersion, status, statusText }, error: null })
  })

  test.each([
    'SSH-2.0-OpenSSH_9.6',
    'http/1.1 200 OK',
    'HTTP/0.9 200 OK',
    'HTTP/2 200 OK',
    'HTTP/2.0 200 OK',
    'HTTP/1.2 200 OK',
    'HTTP/1.1 20 OK',
    'HTTP/1.1 099 OK',
    'HTTP/1.1 2000 OK',
    'HTTP/1.1 200OK',
    'HTTP/1.1  200 OK',
    'HTTP/1.1\t200 OK',
    'HTTP/1.1 -20 OK',
    'HTTP/1.1 200 O\0K',
    'HTTP/1.1 200 O\rK',
    ' HTTP/1.1 200 OK',
    '<html>',
  ])('%j is malformed', (line) => {
    expect(error(`${line}\r\n\r\n`)).toBe('HTTP_MALFORMED')
  })

  test.each([
    ['the frames of HTTP/2', '\0\0\x12\x04\0\0\0\0\0'],
    ['an alert of TLS', '\x15\x03\x01\x00\x02\x02\x46'],
    ['one wrong letter', 'HTTX'],
  ])('is known not to come by its first bytes: %s', (_what, text) => {
    expect(error(text, { open: true })).toBe('HTTP_MALFORMED')
  })

  test('may follow empty lines', () => {
    expect(parse(`\r\n\n\r\n${ok}content-length: 2\r\n\r\nhi`)).toMatchObject({ body: 'hi', error: null })
  })
})

describe('headers', () => {
  test('have names in lower case and values without the blanks around them', () => {
    expect(headers(`${ok}X-One:1\r\nx-two: \t a b \t\r\nX-Empty:\r\n\r\n`)).toEqual({
      'x-one': '1',
      'x-two': 'a b',
      'x-empty': '',
    })
  })

  test('that come more than once have all their values, in order', () => {
    const text = `${ok}set-cookie: a=1\r\nVary: x\r\nSet-Cookie: b=2\r\nvary: y\r\nvary: z\r\n\r\n`
    expect(headers(text)).toEqual({ 'set-cookie': ['a=1', 'b=2'], vary: ['x', 'y', 'z'] })
  })

  test('keep the bytes of UTF-8, as Latin-1 text', () => {
    const value = Buffer.from('voilà').toString('latin1')
    expect(headers(`${ok}x: ${value}\r\n\r\n`)).toEqual({ x: value })
  })

  test('that are folded become one line', () => {
    expect(headers(`${ok}x: a\r\n  b\r\n\tc\r\n \r\ny:\r\n d\r\n\r\n`)).toEqual({ x: 'a b c', y: 'd' })
  })

  test('end with bare line feeds as well', () => {
    const text = 'HTTP/1.1 200 OK\nx: 1\ncontent-length: 2\n\nhi'
    expect(parse(text)).toMatchObject({ head: { headers: { x: '1' } }, body: 'hi', error: null })
  })

  test.each(['__proto__', 'constructor', 'hasOwnProperty', 'toString'])(
    'named %s are nothing else',
    (name) => {
      const found = headers(`${ok}${name}: 1\r\n${name}: 2\r\n\r\n`)
      expect(Object.entries(found ?? {})).toEqual([[name.toLowerCase(), ['1', '2']]])
      expect(Object.getPrototypeOf({})).toBe(Object.prototype)
    },
  )

  test('that did not come are not there, whatever objects inherit', () => {
    expect(headers(`${ok}\r\n`)?.['constructor']).toBeUndefined()
  })

  test.each([
    ['no colon', 'x'],
    ['no name', ': 1'],
    ['a blank before the colon', 'x : 1'],
    ['a blank in the name', 'x y: 1'],
    ['a name of other letters', 'x\xe4: 1'],
    ['NUL in the name', 'x\0: 1'],
    ['NUL in the value', 'x: \0'],
    ['a carriage return in the value', 'x: 1\r2'],
    ['an escape code in the value', 'x: \x1b[2J'],
    ['a fold of nothing', ' x: 1'],
    ['lengths that differ', 'content-length: 1\r\ncontent-length: 2'],
    ['lengths that differ in one line', 'content-length: 1, 2'],
    ['a length that is no number', 'content-length: 1x'],
    ['a length with a sign', 'content-length: +1'],
    ['a length of nothing', 'content-length:'],
    ['a length past all counting', 'content-length: 9999999999999999'],
  ])('with %s are malformed', (_what, line) => {
    expect(error(`${ok}${line}\r\n\r\n`)).toBe('HTTP_MALFORMED')
  })

  test('are at most 64 KB, those of interim responses included', () => {
    const filler = (bytes: number) => `x: ${'x'.repeat(bytes - 'x: \r\n'.length)}\r\n`
    const most = 65_536 - ok.length - 2
    expect(error(`${ok}${filler(most)}\r\n`)).toBeNull()
    expect(error(`${ok}${filler(most + 1)}\r\n`)).toBe('HTTP_HEADERS_TOO_LARGE')
    expect(error(`HTTP/1.1 103 x\r\n${filler(40_000)}\r\n${ok}${filler(40_000)}\r\n`)).toBe(
      'HTTP_HEADERS_TOO_LARGE',
    )
    expect(error(`${ok}x: ${'x'.repeat(70_000)}`, { open: true })).toBe('HTTP_HEADERS_TOO_LARGE')
  })

  test('are at most a thousand lines', () => {
    expect(error(`${ok}${'x:1\r\n'.repeat(1000)}\r\n`)).toBeNull()
    expect(error(`${ok}${'x:1\r\n'.repeat(1001)}\r\n`)).toBe('HTTP_HEADERS_TOO_LARGE')
  })
})

describe('a body', () => {
  test('of a known length ends with its last byte', () => {
    expect(parse(`${ok}content-length: 2\r\n\r\nhi`, { open: true })).toMatchObject({
      body: 'hi',
      endedEarly: true,
    })
    expect(parse(`${ok}content-length: 2\r\n\r\nhi there`)).toMatchObject({ body: 'hi', error: null })
    expect(parse(`${ok}content-length: 0\r\n\r\nhi`)).toMatchObject({ body: '', error: null })
  })

  test.each(['content-length: 2\r\nContent-Length: 2', 'content-length: 2, 02'])(
    'may say twice: %j',
    (lines) => {
      expect(parse(`${ok}${lines}\r\n\r\nhi`)).toMatchObject({ body: 'hi', endedEarly: true })
    },
  )

  test('without a length lasts until the connection ends', () => {
    for (const version of ['1.0', '1.1']) {
      expect(parse(`HTTP/${version} 200 OK\r\n\r\nhello`)).toMatchObject({
        head: { httpVersion: version },
        body: 'hello',
        endedEarly: false,
        error: null,
      })
    }
  })

  test.each([
    ['plain', '5\r\nhello\r\n0\r\n\r\n', 'hello'],
    ['in upper case and with zeros before', '00A\r\n0123456789\r\n0\r\n\r\n', '0123456789'],
    ['with extensions', '5;a=b;c="d e"\r\nhello\r\n0;x\r\n\r\n', 'hello'],
    ['with a blank before an extension', '5 ;a\r\nhello\r\n0\r\n\r\n', 'hello'],
    ['with trailers', '5\r\nhello\r\n0\r\nx-sum: 1\r\ny: 2\r\n\r\n', 'hello'],
    ['with bare line feeds', '5\nhello\n0\n\n', 'hello'],
    ['of nothing', '0\r\n\r\n', ''],
    ['with line ends in it', '4\r\na\r\nb\r\n0\r\n\r\n', 'a\r\nb'],
  ])('in chunks, %s, is put together', (_what, chunks, body) => {
    const text = `${ok}Transfer-Encoding: Chunked\r\n\r\n${chunks}rest`
    expect(parse(text)).toMatchObject({ body, error: null, endedEarly: true })
  })

  test('in chunks has no trailers among its headers', () => {
    const text = `${ok}transfer-encoding: chunked\r\n\r\n0\r\nset-cookie: a=1\r\n\r\n`
    expect(headers(text)).toEqual({ 'transfer-encoding': 'chunked' })
  })

  test.each([
    ['no size', '\r\nhello\r\n'],
    ['a size that is no number', 'x\r\nhello\r\n'],
    ['a size with a sign', '-5\r\nhello\r\n'],
    ['a size with 0x', '0x5\r\nhello\r\n'],
    ['a size past all counting', 'ffffffffffffffff\r\n'],
    ['a size with a blank after it', '5 \r\nhello\r\n'],
    ['NUL in an extension', '5;\0\r\nhello\r\n'],
    ['a size line without an end', `5;${'x'.repeat(5000)}`],
    ['more bytes than the size says', '5\r\nhello!\r\n'],
    ['a bad trailer', '0\r\nno colon\r\n\r\n'],
  ])('in chunks with %s is malformed', (_what, chunks) => {
    expect(error(`${ok}transfer-encoding: chunked\r\n\r\n${chunks}`)).toBe('HTTP_MALFORMED')
  })

  test('in chunks is known to be malformed by the first byte that is too many', () => {
    const text = `${ok}transfer-encoding: chunked\r\n\r\n1\r\naxxx`
    expect(error(text, { open: true })).toBe('HTTP_MALFORMED')
  })

  test('in chunks has bounded trailers', () => {
    const chunked = `${ok}transfer-encoding: chunked\r\n\r\n0\r\n`
    expect(error(`${chunked}${'x:1\r\n'.repeat(1000)}\r\n`)).toBe('HTTP_HEADERS_TOO_LARGE')
    expect(error(`${chunked}x: ${'x'.repeat(70_000)}`)).toBe('HTTP_HEADERS_TOO_LARGE')
  })

  test.each([
    [
      'chunked over a length',
      'content-length: 99\r\ntransfer-encoding: chunked',
      '2\r\nhi\r\n0\r\n\r\n',
      'hi',
    ],
    [
      'the last of several',
      'transfer-encoding: gzip\r\ntransfer-encoding: chunked',
      '2\r\nhi\r\n0\r\n\r\n',
      'hi',
    ],
    ['no chunks where there is another coding', 'transfer-encoding: gzip', '2\r\nhi', '2\r\nhi'],
    ['no length where there is a coding', 'content-length: 1\r\ntransfer-encoding: identity', 'hi', 'hi'],
  ])('is framed by %s', (_what, lines, sent, body) => {
    expect(parse(`${ok}${lines}\r\n\r\n${sent}`)).toMatchObject({ body, error: null })
  })

  test.each([
    ['HEAD', 200],
    ['GET', 204],
    ['GET', 304],
    ['GET', 101],
  ])('is none for %s and %i, whatever length is said', (method, status) => {
    for (const line of ['content-length: 5', 'transfer-encoding: chunked', 'x: 1']) {
      const text = `HTTP/1.1 ${status} x\r\n${line}\r\n\r\nhello`
      expect(parse(text, { method })).toMatchObject({
        head: { status },
        body: '',
        endedEarly: true,
        begun: 1,
        error: null,
      })
    }
  })
})

describe('interim responses', () => {
  const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n'

  test('are skipped, and none of their headers is kept', () => {
    const text = `HTTP/1.1 100 Continue\r\n\r\n${hints}${hints}${ok}x: 1\r\ncontent-length: 2\r\n\r\nhi`
    expect(parse(text)).toMatchObject({ head: { status: 200 }, body: 'hi', begun: 1, error: null })
    expect(headers(text)).toEqual({ x: '1', 'content-length': '2' })
  })

  test('begin no final response', () => {
    expect(parse(hints, { open: true })).toMatchObject({ begun: 0, head: null })
    expect(parse(`${hints}HTTP/1.1 2`, { open: true }).begun).toBe(1)
  })

  test('are bounded in number', () => {
    const interim = 'HTTP/1.1 100 x\r\n\r\n'
    expect(error(`${interim.repeat(20)}${ok}\r\n`)).toBeNull()
    expect(error(`${interim.repeat(21)}${ok}\r\n`)).toBe('HTTP_HEADERS_TOO_LARGE')
  })
})

describe('the end of the connection', () => {
  test.each(['', '\r', '\r\n\r\n', 'HTTP/1.1 100 Continue\r\n\r\n'])(
    'after %j is one without an answer',
    (text) => {
      expect(error(text)).toBe('HTTP_CLOSED')
    },
  )

  test.each([
    'H',
    'HTTP/1.1 200',
    ok,
    `${ok}x: 1\r\n`,
    `${ok}x: 1\r\n\r`,
    'HTTP/1.1 100 Continue\r\n\r\nHTTP',
    `${ok}content-length: 3\r\n\r\nhi`,
    `${ok}content-length: 3\r\n\r\n`,
    `${ok}transfer-encoding: chunked\r\n\r\n`,
    `${ok}transfer-encoding: chunked\r\n\r\n5\r\nhel`,
    `${ok}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n`,
    `${ok}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n`,
  ])('after %j is one in the middle', (text) => {
    expect(error(text)).toBe('HTTP_TRUNCATED')
  })
})

const alphabet = fc.constantFrom(
  ...[
    'HTTP/1.1 200 OK\r\n',
    'HTTP/1.0 ',
    'HTTP/1.1 1',
    '00 \r\n',
    '204',
    '\r\n',
    '\n',
    '\r',
    ' ',
    '\t',
    ':',
    ';',
    ',',
  ],
  ...['\0', '\x1b', '\xa0', 'x', 'X-Y', '0', '1', '5', 'a', 'ff', 'hello', 'chunked', 'gzip', '\r\n\r\n'],
  ...['content-length: ', 'transfer-encoding: chunked\r\n', 'Content-Length: 5\r\n', '__proto__: 1\r\n'],
)
const garbage = fc.array(alphabet, { maxLength: 40 }).map((parts) => parts.join(''))
const beginning = fc.constantFrom('', 'HTTP/1.1 200 OK\r\n', 'HTTP/1.1 103 x\r\n\r\n', ok)
const answers = fc.tuple(beginning, garbage).map((parts) => parts.join(''))
const cuts = fc.array(fc.nat(400), { maxLength: 60 })
const codes = ['HTTP_MALFORMED', 'HTTP_HEADERS_TOO_LARGE', 'HTTP_TRUNCATED', 'HTTP_CLOSED', null]

describe('whatever comes', () => {
  test('makes the same response however it is cut up', () => {
    fc.assert(
      fc.property(answers, cuts, fc.constantFrom('GET', 'HEAD'), (text, at, method) => {
        const whole = parse(text, { method })
        const single = Array.from(text, (_, index) => index)
        expect(parse(text, { method, cuts: at })).toEqual(whole)
        expect(parse(text, { method, cuts: single })).toEqual(whole)
      }),
      { numRuns: 2000 },
    )
  })

  test('of random bytes ends as a response or as one of the errors', () => {
    const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array).toString('latin1'))
    fc.assert(
      fc.property(fc.oneof(bytes, answers), beginning, cuts, (text, start, at) => {
        const { error: code, head } = parse(start + text, { cuts: at })
        expect(codes).toContain(code)
        if (code === null) expect(head).not.toBeNull()
      }),
      { numRuns: 2000 },
    )
  })

  test('may come byte by byte, however long its lines', () => {
    const line = `${ok}x: ${'x'.repeat(60_000)}\r\n\r\n`
    const single = Array.from(line, (_, index) => index)
    expect(parse(line, { cuts: single }).head?.headers['x']).toHaveLength(60_000)
  })
})
