import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type OutgoingHttpHeader } from 'node:http'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from '../../support/parsed-response.ts'

/** What the server answers with next. */
interface Answer {
  readonly status: number
  readonly statusText: string
  readonly headers: readonly (readonly [string, string])[]
  readonly parts: readonly Buffer[]
  readonly framing: 'length' | 'chunks' | 'until-close'
  readonly hints: boolean
}

let answer: Answer
const server = createServer((_request, response) => {
  const { status, statusText, headers, parts, framing, hints } = answer
  if (hints) response.writeEarlyHints({ link: '</a.css>; rel=preload' })
  const byName = new Map<string, OutgoingHttpHeader>()
  for (const [name, value] of headers) byName.set(name, [byName.get(name) ?? [], value].flat(2).map(String))
  for (const [name, values] of byName) response.setHeader(name, values)
  if (framing === 'until-close') response.removeHeader('transfer-encoding')
  if (framing === 'until-close') response.useChunkedEncodingByDefault = false
  if (framing === 'length') response.setHeader('content-length', Buffer.concat(parts).length)
  response.writeHead(status, statusText)
  for (const part of parts) response.write(part)
  response.end()
})
let port = 0

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  port = typeof address === 'object' && address ? address.port : 0
})
afterAll(() => {
  server.close()
})

async function rawAnswer(method: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port })
  socket.write(`${method} / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`)
  return (await buffer(socket)).toString('latin1')
}

async function nodeAnswer(method: string): Promise<{ message: IncomingMessage; body: string }> {
  const options = { host: '127.0.0.1', port, method, headers: { connection: 'close' }, agent: false as const }
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    get(options, resolve).on('error', reject)
  })
  return { message, body: (await buffer(message)).toString('latin1') }
}

/** The headers of both without what differs from one answer to the next. */
const lines = (headers: Readonly<Record<string, readonly string[] | string | undefined>>) =>
  Object.entries(headers)
    .filter(([name]) => name !== 'date')
    .map(([name, value]) => [name, [value].flat()])
    .sort()

const name = fc.stringMatching(/^x-[a-zA-Z0-9!#$%&'*+.^_`|~-]{1,12}$/)
const value = fc.stringMatching(/^[\x21-\x7e\x80-\xff][\t\x20-\x7e\x80-\xff]{0,30}[\x21-\x7e\x80-\xff]$/)
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 2000 }).map((array) => Buffer.from(array)),
  fc.string({ maxLength: 500 }).map((text) => gzipSync(text)),
  fc.string({ maxLength: 500 }).map((text) => brotliCompressSync(text)),
)
const anyAnswer: fc.Arbitrary<Answer> = fc.record({
  status: fc.constantFrom(200, 201, 204, 206, 301, 304, 404, 418, 500, 599),
  statusText: fc.stringMatching(/^[\x21-\x7e]{1,20}$/),
  headers: fc.array(fc.tuple(name, value), { maxLength: 8 }),
  parts: fc.array(bytes, { maxLength: 4 }),
  framing: fc.constantFrom('length', 'chunks', 'until-close'),
  hints: fc.boolean(),
})

describe('a response of a real server', () => {
  test('is to us what it is to the client of Node.js, however it is cut up', async () => {
    const methods = fc.constantFrom('GET', 'HEAD')
    const cuts = fc.array(fc.nat(3000), { maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(anyAnswer, methods, cuts, async (next, method, at) => {
        answer = next
        const [raw, { message, body }] = [await rawAnswer(method), await nodeAnswer(method)]
        const ours = parse(raw, { method, cuts: at })
        expect(ours).toMatchObject({
          head: {
            status: message.statusCode,
            statusText: message.statusMessage,
            httpVersion: message.httpVersion,
          },
          error: null,
          begun: 1,
        })
        expect(lines(ours.head?.headers ?? {})).toEqual(lines(message.headersDistinct))
        expect(ours.body === body).toBe(true)
      }),
      { numRuns: 150 },
    )
  })
})
