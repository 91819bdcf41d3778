import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type DecodeOptions, decodeBody } from '../../../src/runner/api/decode-body.ts'

const defaults: DecodeOptions = { maxBodyBytes: 1_000_000, binaryAsText: false, partial: false }

function decode(
  body: Buffer | readonly Buffer[],
  headers: Record<string, string> = {},
  options: Partial<DecodeOptions> = {},
) {
  const chunks = Buffer.isBuffer(body) ? [body] : body
  return decodeBody(
    { status: 200, statusText: '', headers, chunks, capped: false },
    { ...defaults, ...options },
  )
}

const text = (value: string) => Buffer.from(value)
const codings: readonly [string, (body: Buffer) => Buffer][] = [
  ['gzip', gzipSync],
  ['X-GZIP', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
  ['gzip, br', (body) => brotliCompressSync(gzipSync(body))],
]

describe('a compressed body', () => {
  test.each(codings)('of %s is expanded, small and large', async (encoding, compress) => {
    for (const size of [1, 700_000]) {
      const body = 'hällo '.repeat(size / 7 + 1)
      const decoded = await decode(compress(text(body)), { 'content-encoding': encoding })
      expect(decoded).toEqual({ text: body, bytes: Buffer.byteLength(body), truncated: false })
    }
  })

  test.each(codings)('of %s that expands past the cap is cut there', async (encoding, compress) => {
    const bomb = compress(Buffer.alloc(20_000_000, 'a'))
    const decoded = await decode(bomb, { 'content-encoding': encoding })
    expect(decoded).toMatchObject({ bytes: 1_000_000, truncated: true })
    expect(decoded.text?.length).toBe(1_000_000)
  })

  test('of more codings than anybody uses is refused: they would be undone one by one', async () => {
    const encoding = Array.from({ length: 6 }, () => 'gzip').join(', ')
    let body = text('x')
    for (let count = 0; count < 6; count += 1) body = gzipSync(body)
    await expect(decode(body, { 'content-encoding': encoding })).rejects.toThrow('codings')
  })

  test.each(codings.filter(([name]) => !name.includes(',')))(
    'of %s that broke off gives what there was of it',
    async (encoding, compress) => {
      const whole = Array.from({ length: 5000 }, (_, line) => `line ${line}`).join('\n')
      const half = compress(text(whole))
      const options = { partial: true }
      const decoded = await decode(
        half.subarray(0, half.length / 2),
        { 'content-encoding': encoding },
        options,
      )
      expect(decoded.truncated).toBe(true)
      expect(whole.startsWith(decoded.text ?? 'null')).toBe(true)
    },
  )

  test('that is not what it says is an error with a code', async () => {
    await expect(decode(text('plain'), { 'content-encoding': 'gzip' })).rejects.toMatchObject({
      code: 'Z_DATA_ERROR',
    })
    const cut = gzipSync(text('hello')).subarray(0, 15)
    await expect(decode(cut, { 'content-encoding': 'gzip' })).rejects.toMatchObject({ code: 'Z_BUF_ERROR' })
  })

  test('is taken as it is in a coding that nobody knows, and when it is empty', async () => {
    expect((await decode(text('plain'), { 'content-encoding': 'identity' })).text).toBe('plain')
    expect((await decode([], { 'content-encoding': 'gzip' })).text).toBe('')
  })
})

describe('the charset', () => {
  test.each([
    ['text/plain', text('hä'), 'hä'],
    ['text/plain; charset=ISO-8859-1', Buffer.from('hä', 'latin1'), 'hä'],
    ['text/plain; charset="utf-16le"', Buffer.from('hä', 'utf16le'), 'hä'],
    ['text/html;charset=Shift_JIS', Buffer.from([0x83, 0x65]), 'テ'],
    ['text/plain; charset=klingon', text('hä'), 'hä'],
    ['application/json', text('\uFEFF{}'), '{}'],
  ])('of %s is honoured', async (contentType, body, expected) => {
    expect((await decode(body, { 'content-type': contentType })).text).toBe(expected)
  })

  test('holds over the borders of chunks', async () => {
    const body = text('ä')
    expect((await decode([body.subarray(0, 1), body.subarray(1)])).text).toBe('ä')
  })
})

describe('a binary body', () => {
  test.each([
    ['image/png', text('x')],
    ['application/octet-stream', text('x')],
    ['application/pdf; q=1', text('x')],
    ['text/plain', Buffer.from([65, 0, 66])],
    ['', Buffer.from([65, 0, 66])],
  ])('of %s has no text and keeps its size', async (contentType, body) => {
    const decoded = await decode(body, { 'content-type': contentType })
    expect(decoded).toEqual({ text: null, bytes: body.length, truncated: false })
  })

  test.each(['image/svg+xml', 'application/json', 'application/vnd.api+json', 'text/css', ''])(
    'is not one of %s',
    async (contentType) => {
      expect((await decode(text('x'), { 'content-type': contentType })).text).toBe('x')
    },
  )

  test('is given as text when asked for', async () => {
    const decoded = await decode(Buffer.from([65, 0, 66]), {}, { binaryAsText: true })
    expect(decoded.text).toBe('A\0B')
  })
})
