import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import {
  brotliCompressSync,
  constants,
  createZstdCompress,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { BodyAllowance } from '../../../src/runner/body-allowance.ts'
import { unboundedMemory } from '../../../src/runner/body-memory.ts'
import { type DecodeOptions, decodeBody } from '../../../src/runner/http/decode-body.ts'

const defaults = { maxBodyBytes: 1_000_000, binaryAsText: false, partial: false }

async function decode(
  body: Buffer | readonly Buffer[],
  headers: Record<string, string> = {},
  options: Partial<DecodeOptions> = {},
) {
  const chunks = Buffer.isBuffer(body) ? [body] : body
  const allowance = new BodyAllowance(unboundedMemory)
  return decodeBody(
    { httpVersion: '1.1', status: 200, statusText: '', headers, chunks, capped: false },
    { ...defaults, allowance, ...options },
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

  test.each(codings)(
    'of %s is an error when its end is missing, small and large',
    async (encoding, compress) => {
      for (const size of [100, 700_000]) {
        const whole = compress(randomBytes(size))
        const cut = decode(whole.subarray(0, whole.length - 5), { 'content-encoding': encoding })
        await expect(cut, `${size} bytes`).rejects.toMatchObject({ code: 'Z_BUF_ERROR' })
      }
    },
  )

  test.each(codings)('of %s is an error when it is something else', async (encoding) => {
    for (const size of [100, 700_000]) {
      const plain = Buffer.alloc(size, 'plain text ')
      const code = expect.stringMatching(/^(Z|ZSTD|ERR)_/)
      await expect(decode(plain, { 'content-encoding': encoding })).rejects.toMatchObject({ code })
    }
  })

  test.each(codings)('of %s ends where its coding says, whatever follows', async (encoding, compress) => {
    for (const size of [1, 700_000]) {
      const body = 'hällo '.repeat(size / 7 + 1)
      for (const tail of [text('GARBAGE'), Buffer.alloc(9), Buffer.from([0x1f, 0x8b, 0xff, 0xff])]) {
        const one = Buffer.concat([compress(text(body)), tail])
        const decoded = await decode(one, { 'content-encoding': encoding })
        expect(decoded).toEqual({ text: body, bytes: Buffer.byteLength(body), truncated: false })
        const parts = await decode([compress(text(body)), tail], { 'content-encoding': encoding })
        expect(parts).toEqual(decoded)
      }
    }
  })

  test('of gzip has all its members, also with something behind the last of them', async () => {
    const members = Array.from({ length: 50 }, (_, at) => gzipSync(text(`${at} `.repeat(at * 100 + 1))))
    const expected = Array.from({ length: 50 }, (_, at) => `${at} `.repeat(at * 100 + 1)).join('')
    for (const tail of [[], [text('GARBAGE')]]) {
      const decoded = await decode([...members, ...tail], { 'content-encoding': 'gzip' })
      expect(decoded).toMatchObject({ text: expected, truncated: false })
      const cut = await decode([...members, ...tail], { 'content-encoding': 'gzip' }, { maxBodyBytes: 1000 })
      expect(cut).toEqual({ text: expected.slice(0, 1000), bytes: 1000, truncated: true })
    }
  })

  test('of gzip with something behind it is counted once in the memory for bodies', async () => {
    let leftBytes = 1_000_000
    const take = (bytes: number) => {
      leftBytes -= bytes
      return leftBytes >= 0
    }
    const allowance = new BodyAllowance({ ...unboundedMemory, take })
    const body = Buffer.concat([gzipSync('a'.repeat(900_000)), text('GARBAGE')])
    const decoded = await decode(body, { 'content-encoding': 'gzip' }, { allowance })
    expect(decoded.bytes).toBe(900_000)
  })

  test('of gzip whose later member is broken is an error, and so are more members than anybody sends', async () => {
    const broken = gzipSync(text('second'))
    broken[broken.length - 6] = 0
    const whole = Buffer.concat([gzipSync(text('first')), broken, text('GARBAGE')])
    await expect(decode(whole, { 'content-encoding': 'gzip' })).rejects.toMatchObject({
      code: 'Z_DATA_ERROR',
    })
    const many = Buffer.concat([...Array<Buffer>(1001).fill(gzipSync(text('x'))), text('GARBAGE')])
    await expect(decode(many, { 'content-encoding': 'gzip' })).rejects.toThrow('members')
  })

  test('of zstd that wants more memory than HTTP allows is refused', async () => {
    const settings = {
      params: { [constants.ZSTD_c_windowLog]: 25, [constants.ZSTD_c_enableLongDistanceMatching]: 1 },
    }
    const stream = createZstdCompress(settings)
    const compressed = buffer(stream)
    for (let part = 0; part < 40; part += 1) stream.write(Buffer.alloc(1_000_000, String(part)))
    stream.end()
    await expect(decode(await compressed, { 'content-encoding': 'zstd' })).rejects.toMatchObject({
      code: 'ZSTD_error_frameParameter_windowTooLarge',
    })
  })

  test('is taken as it is in a coding that nobody knows, and when it is empty', async () => {
    expect((await decode(text('plain'), { 'content-encoding': 'identity' })).text).toBe('plain')
    expect((await decode(text('plain'), { 'content-encoding': 'klingon' })).text).toBe('plain')
    expect((await decode(gzipSync('x'), { 'content-encoding': 'gzip, identity' })).text).toBe('x')
    expect((await decode([], { 'content-encoding': 'gzip' })).text).toBe('')
  })
})

describe('the charset', () => {
  test.each([
    ['text/plain', text('hä'), 'hä'],
    ['text/plain; charset=ISO-8859-1', Buffer.from('hä', 'latin1'), 'hä'],
    ['text/plain; charset="utf-16le"', Buffer.from('hä', 'utf16le'), 'hä'],
    ["text/plain; charset='iso-8859-1'", Buffer.from('hä', 'latin1'), 'hä'],
    ['text/plain; Charset = "ISO-8859-1"; x=y', Buffer.from('hä', 'latin1'), 'hä'],
    ['text/plain; charset=unicode', Buffer.from('hä', 'utf16le'), 'hä'],
    ['text/plain; charset=iso-8859-1', text('\uFEFFhä'), 'hä'],
    ['text/plain', Buffer.from('\uFEFFhä', 'utf16le'), 'hä'],
    ['text/plain; charset=utf-8', Buffer.from('\uFEFFhä', 'utf16le').swap16(), 'hä'],
    ['text/plain; charset=', text('hä'), 'hä'],
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

describe('a large text', () => {
  const parts = 'aä€😀\u0000日'
  const large = Buffer.from(parts.repeat(300_000))
  const options = { maxBodyBytes: 30_000_000, binaryAsText: true }

  test.each([1, 3, 7, 1000, 65_536])('is the same whatever the chunks: %i of them', async (count) => {
    const size = Math.ceil(large.length / count)
    const chunks = Array.from({ length: count }, (_, at) => large.subarray(at * size, (at + 1) * size))
    const decoded = await decode(
      chunks.filter(({ length }) => length > 0),
      {},
      options,
    )
    expect(decoded.text === large.toString()).toBe(true)
    expect(decoded.bytes).toBe(large.length)
  })

  test('in another charset is the same as well', async () => {
    const latin = Buffer.from('hällo '.repeat(500_000), 'latin1')
    const decoded = await decode(latin, { 'content-type': 'text/plain; charset=iso-8859-1' }, options)
    expect(decoded.text === latin.toString('latin1')).toBe(true)
  })

  test('lets others have their turn again and again', async () => {
    let turns = 0
    let decoding = true
    const next = () => {
      turns += 1
      if (decoding) setImmediate(next)
    }
    setImmediate(next)
    await decode(large, {}, options)
    decoding = false
    expect(turns).toBeGreaterThanOrEqual(Math.floor(large.length / 131_072))
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

  test('of nothing is an empty text, whatever it is said to be', async () => {
    const headers = { 'content-type': 'image/png', 'content-encoding': 'gzip' }
    expect(await decode([], headers)).toEqual({ text: '', bytes: 0, truncated: false })
  })

  test('is given as text when asked for', async () => {
    const decoded = await decode(Buffer.from([65, 0, 66]), {}, { binaryAsText: true })
    expect(decoded.text).toBe('A\0B')
  })
})
