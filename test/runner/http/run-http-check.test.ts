import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../../src/lib/clock.ts'
import { createRunCheck } from '../../../src/runner/run-check.ts'
import { fail, observe } from '../../support/api-attempt.ts'
import { apiDefinition, entry } from '../../support/api-definition.ts'
import { type Route, startHttpTarget } from '../../support/http-target.ts'
import { answerRaw, startTcpTarget } from '../../support/tcp-target.ts'

const ok: Route = (response) => response.end('ok')

describe('a request', () => {
  test('reaches the target as it was asked for, and is told as it was sent', async () => {
    await using target = await startHttpTarget({ '/a': ok })
    const { observation } = await observe(`${target.origin}/a?x=1`, {
      method: 'PUT',
      bodyType: 'JSON',
      body: '{"ä":1}',
      headers: [entry('X-Own', '1'), entry('X-Own', '2')],
      queryParameters: [entry('y', '2')],
      basicAuth: { username: 'ann', password: 'secret' },
    })
    expect(target.requests).toMatchObject([{ method: 'PUT', url: '/a?x=1&y=2', body: '{"ä":1}' }])
    const { request } = observation
    expect(request).toMatchObject({ method: 'PUT', url: `${target.origin}/a?x=1&y=2`, body: '{"ä":1}' })
    const lowerCase = Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value])
    expect(Object.fromEntries(lowerCase)).toEqual(target.requests[0]?.headers)
  })

  test.each(['GET', 'POST', 'HEAD', 'DELETE', 'PATCH', 'OPTIONS'] as const)('can be a %s', async (method) => {
    await using target = await startHttpTarget({ '/': ok })
    const { observation } = await observe(target.origin, { method })
    expect(target.requests[0]?.method).toBe(method)
    expect(observation.response.body).toBe(method === 'HEAD' ? '' : 'ok')
  })

  test('has a connection of its own, closed afterwards', async () => {
    await using target = await startHttpTarget({ '/': ok })
    await observe(target.origin)
    await observe(target.origin)
    expect(target.connections()).toBe(2)
    expect(target.requests[0]?.headers.connection).toBe('close')
  })

  test('is the same at every attempt, and as its definition is then', async () => {
    await using target = await startHttpTarget({ '/a': ok })
    const run = createRunCheck({ clock: systemClock, useOsDnsResolver: false, version: '1.2.3' })
    const { signal } = new AbortController()
    const definition = apiDefinition(`${target.origin}/a`, { headers: [entry('X-Own', '1')] })
    const [first, second] = [await run(definition, signal), await run(definition, signal)]
    const changed = { ...definition, request: { ...definition.request, headers: [entry('X-Own', '2')] } }
    await run(changed, signal)
    expect(target.requests.map(({ headers }) => headers['x-own'])).toEqual(['1', '1', '2'])
    expect(target.requests[1]?.rawHeaders).toEqual(target.requests[0]?.rawHeaders)
    expect(first).toMatchObject({ kind: 'observed' })
    expect(second).toMatchObject({ kind: 'observed' })
  })

  test.each([
    ['no URL at all', 'nonsense', {}],
    ['a header that cannot be', 'http://127.0.0.1:1/', { headers: [entry('a b', '1')] }],
    ['a header with a line break', 'http://127.0.0.1:1/', { headers: [entry('a', '1\r\nb: 2')] }],
  ])('is said to be invalid for %s', async (_what, url, request) => {
    const outcome = await fail(url, request)
    expect(outcome).toMatchObject({
      kind: 'unreachable',
      cause: { class: 'invalid-request', phase: null },
      timings: { totalUs: 0 },
      evidence: { request: { url }, response: null },
    })
  })
})

describe('a response', () => {
  test('is told with status, headers and the whole body', async () => {
    const body = 'x'.repeat(3_000_000)
    const big: Route = (response) =>
      response.writeHead(201, 'Made', { 'X-One': '1', 'Set-Cookie': ['a=1', 'b=2'] }).end(body)
    await using target = await startHttpTarget({ '/': big })
    const { observation } = await observe(target.origin)
    expect(observation.response).toMatchObject({
      status: 201,
      statusText: 'Made',
      httpVersion: '1.1',
      headers: { 'x-one': '1', 'set-cookie': ['a=1', 'b=2'] },
      bodyBytes: 3_000_000,
      truncated: false,
    })
    expect(observation.response.body === body).toBe(true)
    expect(observation.tls).toBeNull()
    expect(observation.hops).toMatchObject([
      { method: 'GET', url: `${target.origin}/`, status: 201, remoteAddress: '127.0.0.1' },
    ])
  })

  test.each([
    ['of HTTP/1.0 until the connection ends', 'HTTP/1.0 200 OK\r\n\r\nhello', '1.0', 'hello'],
    ['of HTTP/1.1 until the connection ends', 'HTTP/1.1 200 OK\r\n\r\nhello', '1.1', 'hello'],
    ['of a length, and no byte more', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello!', '1.1', 'hello'],
    [
      'in chunks with trailers',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nx: 1\r\n\r\n',
      '1.1',
      'hello',
    ],
    [
      'after interim ones',
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 x\r\nlink: a\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok',
      '1.1',
      'ok',
    ],
  ])('is read %s', async (_what, text, httpVersion, body) => {
    await using target = await startTcpTarget(answerRaw(text))
    expect((await observe(target.origin)).observation.response).toMatchObject({
      status: 200,
      httpVersion,
      body,
      bodyBytes: body.length,
      truncated: false,
    })
  })

  test.each([
    ['GET', 204, 'content-length: 1000'],
    ['GET', 304, 'content-length: 1000'],
    ['HEAD', 200, 'content-length: 1000'],
    ['HEAD', 200, 'transfer-encoding: chunked'],
    ['GET', 101, 'upgrade: x'],
  ] as const)('to %s of %i is complete without a body, though it says %s', async (method, status, header) => {
    await using target = await startTcpTarget((socket) => {
      socket.once('data', () => socket.write(`HTTP/1.1 ${status} x\r\n${header}\r\n\r\n`))
    })
    const { observation } = await observe(target.origin, { method })
    expect(observation.response).toMatchObject({ status, body: '', bodyBytes: 0, truncated: false })
  })

  test('is read no further than the cap', async () => {
    await using target = await startHttpTarget({ '/': (response) => response.end('x'.repeat(500_000)) })
    const { observation } = await observe(target.origin, {}, { maxBodyBytes: 100_000 })
    expect(observation.response).toMatchObject({ bodyBytes: 100_000, truncated: true })
  })

  test('that is compressed is expanded', async () => {
    const zipped: Route = (response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('hello'))
    await using target = await startHttpTarget({ '/': zipped })
    expect((await observe(target.origin)).observation.response).toMatchObject({ body: 'hello', bodyBytes: 5 })
  })

  test('with a body that cannot be decompressed is a failure that keeps the rest', async () => {
    const broken: Route = (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('hello')
    await using target = await startHttpTarget({ '/': broken })
    expect(await fail(target.origin)).toMatchObject({
      kind: 'unreachable',
      cause: { class: 'decompression', code: 'Z_DATA_ERROR', phase: 'download' },
      evidence: { response: { status: 200, body: null } },
    })
  })

  test('with a binary body has text only when a TEXT_BODY assertion asks', async () => {
    const image: Route = (response) => response.writeHead(200, { 'content-type': 'image/png' }).end('png')
    await using target = await startHttpTarget({ '/': image })
    expect((await observe(target.origin)).observation.response.body).toBeNull()
    const assertion = { comparison: 'CONTAINS', property: '', target: 'p', regex: null } as const
    const { observation } = await observe(target.origin, {
      assertions: [{ ...assertion, source: 'TEXT_BODY' }],
    })
    expect(observation.response.body).toBe('png')
  })

  test('begins with its final status, not with early hints', async () => {
    const hinting: Route = (response) => {
      response.writeEarlyHints({ link: '</a.css>; rel=preload' })
      setTimeout(() => response.end('ok'), 200)
    }
    await using target = await startHttpTarget({ '/': hinting })
    const { observation, timings } = await observe(target.origin)
    expect(observation.response).toMatchObject({ status: 200, body: 'ok' })
    expect(timings.phasesUs.firstByte).toBeGreaterThan(190_000)
    expect(timings.phasesUs.download).toBeLessThan(100_000)
  })
})
