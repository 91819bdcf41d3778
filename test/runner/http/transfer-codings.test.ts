import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { fail, observe } from '../../support/api-attempt.ts'
import { startTcpTarget } from '../../support/tcp-target.ts'

/** The body as chunks of a few bytes. */
function inChunks(body: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < body.length; at += 7) {
    const part = body.subarray(at, at + 7)
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'))
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')])
}

/** A target whose answer has these headers and this body, and then ends. */
function answering(headers: string, body: Buffer) {
  const head = Buffer.from(`HTTP/1.1 200 OK\r\n${headers}\r\n\r\n`)
  return startTcpTarget((socket) => socket.once('data', () => socket.end(Buffer.concat([head, body]))))
}

const text = 'hällo '.repeat(1000)
const same = (body: Buffer) => body
const decoded = { body: text, bodyBytes: Buffer.byteLength(text), truncated: false }

describe('a body in transfer codings', () => {
  test.each<[string, (body: Buffer) => Buffer, (body: Buffer) => Buffer]>([
    ['chunked', same, inChunks],
    ['identity, chunked', same, inChunks],
    ['gzip, chunked', gzipSync, inChunks],
    ['x-gzip, Chunked', gzipSync, inChunks],
    ['deflate,chunked', deflateSync, inChunks],
    ['deflate, chunked', deflateRawSync, inChunks],
    ['gzip, , deflate, chunked', (body) => deflateSync(gzipSync(body)), inChunks],
    ['gzip', gzipSync, same],
    ['gzip\r\nTransfer-Encoding: chunked', gzipSync, inChunks],
  ])('of %j is given as it was before them', async (codings, compress, frame) => {
    const body = frame(compress(Buffer.from(text)))
    await using target = await answering(`Transfer-Encoding: ${codings}`, body)
    expect((await observe(target.origin)).observation.response).toMatchObject(decoded)
  })

  test('and in a content coding is rid of both', async () => {
    const body = inChunks(deflateSync(gzipSync(text)))
    const headers = 'content-encoding: gzip\r\ntransfer-encoding: deflate, chunked'
    await using target = await answering(headers, body)
    expect((await observe(target.origin)).observation.response).toMatchObject(decoded)
  })

  test('expands to no more than the cap', async () => {
    const body = inChunks(gzipSync(Buffer.alloc(3_000_000, 'a')))
    await using target = await answering('transfer-encoding: gzip, chunked', body)
    const { observation } = await observe(target.origin, {}, { maxBodyBytes: 1_000_000 })
    expect(observation.response).toMatchObject({ bodyBytes: 1_000_000, truncated: true })
  })

  test('that do not hold is a failure to decompress', async () => {
    await using target = await answering('transfer-encoding: gzip, chunked', inChunks(Buffer.from(text)))
    expect((await fail(target.origin)).cause).toMatchObject({ class: 'decompression', phase: 'download' })
  })

  test('of more of them than anybody uses is a failure to decompress', async () => {
    await using target = await answering(
      `transfer-encoding: ${'gzip, '.repeat(6)}chunked`,
      inChunks(gzipSync(text)),
    )
    expect((await fail(target.origin)).cause.class).toBe('decompression')
  })

  test.each([
    'klingon, chunked',
    'klingon',
    'br, chunked',
    'chunked, gzip',
    'chunked, chunked',
    'gzip;q=1, chunked',
  ])('of %j is not understood, and says so', async (codings) => {
    await using target = await answering(`transfer-encoding: ${codings}`, inChunks(gzipSync(text)))
    expect((await fail(target.origin)).cause).toMatchObject({ class: 'http-malformed', phase: 'download' })
  })

  test('is none where there is no body, whatever the header says', async () => {
    await using target = await answering('transfer-encoding: klingon', Buffer.from(''))
    const { observation } = await observe(target.origin, { method: 'HEAD' })
    expect(observation.response).toMatchObject({ status: 200, body: '' })
  })
})
