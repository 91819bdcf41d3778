import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { fail, observe } from '../../support/api-attempt.ts'
import { type Route, startHttpTarget } from '../../support/http-target.ts'
import { startTcpTarget } from '../../support/tcp-target.ts'

const afterRequest = (act: (socket: Socket) => void) => (socket: Socket) => {
  socket.once('data', () => act(socket))
}
/** Writes these, and breaks the connection off when the other side has them. */
const writeAndReset = (text: string) =>
  afterRequest((socket) => socket.write(text, () => setTimeout(() => socket.resetAndDestroy(), 20)))

describe('a target that breaks the connection off', () => {
  test('before it has read the request is a reset', async () => {
    await using target = await startTcpTarget((socket) => socket.resetAndDestroy())
    const { cause } = await fail(target.origin)
    expect(cause.class).toBe('reset')
    expect(['connect', 'send', 'firstByte']).toContain(cause.phase)
  })

  test('while it is being sent a large request is a reset', async () => {
    await using target = await startTcpTarget((socket) => {
      socket.once('data', () => socket.pause().resetAndDestroy())
    })
    const request = { method: 'POST', bodyType: 'RAW', body: 'x'.repeat(30_000_000) } as const
    expect(await fail(target.origin, request)).toMatchObject({
      cause: { class: 'reset', phase: 'send' },
      evidence: { response: null },
    })
  })

  test.each([
    ['after the status line', 'HTTP/1.1 200 OK\r\n', null],
    ['after the headers', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n', ''],
    ['in a body of a known length', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhello', 'hello'],
    ['in a body in chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n', 'hello'],
    ['in a body without a length', 'HTTP/1.1 200 OK\r\n\r\nhello', 'hello'],
  ])('%s is a reset, and what came is kept', async (_what, text, body) => {
    await using target = await startTcpTarget(writeAndReset(text))
    const { cause, evidence } = await fail(target.origin)
    expect(cause).toMatchObject({ class: 'reset', code: 'ECONNRESET', phase: 'download' })
    expect(evidence.response?.body ?? null).toBe(body)
  })
})

describe('a target that takes its time', () => {
  const trickle = (text: string, everyMs: number) =>
    afterRequest((socket) => {
      let at = 0
      const timer = setInterval(() => socket.write(text[at++ % text.length] ?? ''), everyMs)
      socket.on('close', () => clearInterval(timer))
    })

  test('with its headers is given no more of it than the attempt has', async () => {
    await using target = await startTcpTarget(trickle(`HTTP/1.1 200 OK\r\n${'x: 1\r\n'.repeat(100)}`, 2))
    const outcome = await fail(target.origin, {}, { attemptMs: 300 })
    expect(outcome).toMatchObject({ kind: 'timed-out', during: 'download', evidence: { response: null } })
    expect(outcome.timings.totalUs).toBeLessThan(5_000_000)
  })

  test('with a body is given no more of it than the attempt has', async () => {
    const text = `HTTP/1.1 200 OK\r\n\r\n${'hello '.repeat(1000)}`
    await using target = await startTcpTarget(trickle(text, 2))
    const outcome = await fail(target.origin, {}, { attemptMs: 300 })
    expect(outcome).toMatchObject({ kind: 'timed-out', during: 'download' })
    expect(outcome.evidence.response?.body).toMatch(/^hel/)
  })

  test('with every byte is understood all the same', async () => {
    const text = 'HTTP/1.1 200 OK\r\nx-one: 1\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n'
    await using target = await startTcpTarget(trickle(text, 0))
    const { observation } = await observe(target.origin)
    expect(observation.response).toMatchObject({ status: 200, headers: { 'x-one': '1' }, body: 'hello' })
  })
})

describe('a target that sends too much', () => {
  /** Without an end, as fast as it is taken. */
  const flood = (first: string, more: string) =>
    afterRequest((socket) => {
      socket.write(first)
      const pour = () => {
        while (socket.writable && socket.write(more)) {}
      }
      socket.on('drain', pour)
      pour()
    })

  test.each([
    ['headers', 'HTTP/1.1 200 OK\r\n', 'x: 1\r\n'.repeat(1000)],
    ['one header', 'HTTP/1.1 200 OK\r\nx: ', 'x'.repeat(10_000)],
    ['interim responses', '', 'HTTP/1.1 103 x\r\n\r\n'.repeat(1000)],
    ['empty lines', '', '\r\n'.repeat(5000)],
    ['trailers', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n', 'x: 1\r\n'.repeat(1000)],
  ])('in %s is not listened to', async (_what, first, more) => {
    const closed = Promise.withResolvers<void>()
    await using target = await startTcpTarget((socket) => {
      socket.on('close', () => closed.resolve())
      flood(first, more)(socket)
    })
    expect((await fail(target.origin)).cause.class).toBe('headers-too-large')
    await closed.promise
  })

  test.each([
    ['of a body without an end', 'HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(10_000)],
    [
      'in chunks of one byte',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n',
      '1\r\nx\r\n'.repeat(5000),
    ],
  ])('%s is read up to the cap', async (_what, first, more) => {
    await using target = await startTcpTarget(flood(first, more))
    const { observation } = await observe(target.origin, {}, { maxBodyBytes: 300_000 })
    expect(observation.response).toMatchObject({ bodyBytes: 300_000, truncated: true })
    expect(observation.response.body === 'x'.repeat(300_000)).toBe(true)
  })

  test('when it is expanded is expanded up to the cap', async () => {
    const bomb: Route = (response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(20_000_000, 'x')))
    await using target = await startHttpTarget({ '/': bomb })
    const { observation } = await observe(target.origin, {}, { maxBodyBytes: 100_000 })
    expect(observation.response).toMatchObject({ bodyBytes: 100_000, truncated: true })
  })
})
