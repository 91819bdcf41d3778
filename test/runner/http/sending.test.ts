import { buffer } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { fail, observe } from '../../support/api-attempt.ts'
import { attemptOver } from '../../support/api-attempt-over.ts'
import { entry } from '../../support/api-definition.ts'
import { type Route, startHttpTarget } from '../../support/http-target.ts'
import { plainDial } from '../../support/plain-dial.ts'
import { startTcpTarget } from '../../support/tcp-target.ts'

const ok: Route = (response) => response.end('ok')

/** The first piece of what arrives, answered with 200. */
async function firstPiece(send: (origin: string) => Promise<unknown>): Promise<string> {
  const arrived = Promise.withResolvers<string>()
  await using target = await startTcpTarget((socket) => {
    socket.once('data', (bytes) => {
      arrived.resolve(bytes.toString('latin1'))
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
    })
  })
  await send(target.origin)
  return await arrived.promise
}

describe('a request', () => {
  test('is written as it is asked for, its body after its head', async () => {
    const piece = await firstPiece((origin) =>
      observe(`${origin}/a?b=1`, { method: 'POST', bodyType: 'RAW', body: 'hällo' }),
    )
    expect(piece.startsWith('POST /a?b=1 HTTP/1.1\r\nhost: 127.0.0.1:')).toBe(true)
    expect(piece.endsWith(`\r\ncontent-length: 6\r\n\r\n${Buffer.from('hällo').toString('latin1')}`)).toBe(
      true,
    )
  })

  test.each([
    ['POST', 'content-length: 0'],
    ['PUT', 'content-length: 0'],
    ['GET', ''],
    ['DELETE', ''],
  ] as const)('%s without a body says %j of its length', async (method, expected) => {
    const piece = await firstPiece((origin) => observe(origin, { method }))
    expect(/content-length: \d+/.exec(piece)?.[0] ?? '').toBe(expected)
  })

  test('carries header values as Latin-1', async () => {
    const piece = await firstPiece((origin) => observe(origin, { headers: [entry('x-own', 'ä\tb')] }))
    expect(piece).toContain('\r\nx-own: ä\tb\r\n')
  })

  test.each([
    ['a line break in a value', entry('x', '1\r\ny: 2')],
    ['a carriage return in a value', entry('x', '1\r2')],
    ['a line feed in a value', entry('x', '1\n2')],
    ['NUL in a value', entry('x', '1\0')],
    ['another control character in a value', entry('x', '1\x7f')],
    ['a character in a value that has no byte', entry('x', '日')],
    ['a line break in a name', entry('x: 1\r\ny', '2')],
    ['a blank in a name', entry('x y', '1')],
    ['a colon in a name', entry('x:', '1')],
    ['a letter in a name that is no ASCII', entry('ä', '1')],
    ['a second host', entry('HOST', 'b')],
  ])('with %s is never sent', async (_what, header) => {
    await using target = await startHttpTarget({ '/': ok })
    const outcome = await fail(target.origin, { headers: [entry('host', 'a'), header] })
    expect(outcome.cause).toMatchObject({ class: 'invalid-request', phase: null })
    expect(target.connections()).toBe(0)
  })

  test('with a method that is none is never sent', async () => {
    await using target = await startHttpTarget({ '/': ok })
    const method = 'GET / HTTP/1.1\r\nx: ' as 'GET'
    expect((await fail(target.origin, { method })).cause.class).toBe('invalid-request')
    expect(target.connections()).toBe(0)
  })

  test('has no way to break out of its first line by the URL', async () => {
    const piece = await firstPiece((origin) =>
      observe(`${origin}/a\r\nb c\t?d=\r\n e`, { queryParameters: [entry('f\r\n', ' HTTP/1.1\r\n')] }),
    )
    expect(piece.split('\r\n')[0]).toBe('GET /ab%20c?d=%20e&f%0D%0A=%20HTTP%2F1.1%0D%0A HTTP/1.1')
  })
})

describe('an answer that does not wait for the request', () => {
  const body = 'x'.repeat(30_000_000)
  const upload = { method: 'POST', bodyType: 'RAW', body } as const

  test('counts, and ends the sending', async () => {
    await using target = await startTcpTarget((socket) => {
      socket.once('data', () => {
        socket.pause().end('HTTP/1.1 413 Too Large\r\ncontent-length: 3\r\n\r\nbig')
      })
    })
    const { observation, timings } = await observe(target.origin, upload)
    expect(observation.response).toMatchObject({ status: 413, body: 'big' })
    expect(timings.phasesUs).toMatchObject({
      send: expect.any(Number),
      firstByte: expect.any(Number),
      download: expect.any(Number),
    })
  })

  test('counts when the connection is broken off right after it', async () => {
    const answer = 'HTTP/1.1 413 Too Large\r\ncontent-length: 3\r\n\r\nbig'
    await using target = await startTcpTarget((socket) => {
      // What is unread when a socket is closed makes the system break the connection off.
      socket.once('data', () => socket.pause().write(answer, () => socket.destroy()))
    })
    expect((await observe(target.origin, upload)).observation.response).toMatchObject({ status: 413 })
  })

  test('that is an interim one does not end the sending', async () => {
    const received = Promise.withResolvers<number>()
    await using target = await startTcpTarget((socket) => {
      let bytes = 0
      socket.write('HTTP/1.1 100 Continue\r\n\r\n')
      socket.on('data', (chunk) => {
        bytes += chunk.length
        if (bytes < body.length) return
        received.resolve(bytes)
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
      })
    })
    expect((await observe(target.origin, upload)).observation.response).toMatchObject({
      status: 200,
      body: 'ok',
    })
    expect(await received.promise).toBeGreaterThan(body.length)
  })
})

describe('through a proxy that forwards', () => {
  test('a request names the whole URL and tells the proxy who asks, which is told to nobody else', async () => {
    const url = 'http://target.invalid:8080/a?b=1'
    const authorization = 'Basic cHJveHk6c2VjcmV0'
    const arrived = Promise.withResolvers<string>()
    await using proxy = await startTcpTarget((socket) => {
      socket.once('data', (bytes) => {
        arrived.resolve(bytes.toString('latin1'))
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
      })
    })
    const { dial } = plainDial({ port: proxy.port, forwarder: { authorization }, proxied: true })
    const headers = [entry('Proxy-Authorization', 'Basic b3Zlcg=='), entry('x-own', '1')]
    const outcome = await attemptOver(url, { headers }, { dial })
    const lines = (await arrived.promise).split('\r\n')
    expect(lines[0]).toBe('GET http://target.invalid:8080/a?b=1 HTTP/1.1')
    expect(lines).toEqual(expect.arrayContaining(['host: target.invalid:8080', 'x-own: 1']))
    expect(lines.filter((line) => /^proxy-authorization:/i.test(line))).toEqual([
      `proxy-authorization: ${authorization}`,
    ])
    expect(outcome).toMatchObject({
      observation: {
        request: { url },
        hops: [{ url, remoteAddress: null, addresses: [{ address: '127.0.0.1' }] }],
      },
    })
    expect(JSON.stringify(outcome)).not.toContain(authorization)
  })

  test('a request whose secret for the proxy could break out of its place is never sent', async () => {
    await using proxy = await startHttpTarget({ '/': ok })
    const { dial } = plainDial({
      port: proxy.port,
      forwarder: { authorization: 'Basic x\r\ny: 1' },
      proxied: true,
    })
    const outcome = await attemptOver('http://target.invalid/', {}, { dial })
    expect(outcome).toMatchObject({ kind: 'unreachable', cause: { class: 'invalid-request' } })
    expect(proxy.requests).toEqual([])
  })

  test("a request that does not get there tells no address as the target's", async () => {
    const gone = await startTcpTarget(() => {})
    await gone[Symbol.asyncDispose]()
    const { dial } = plainDial({ port: gone.port, proxied: true })
    expect(await attemptOver('http://target.invalid/', {}, { dial })).toMatchObject({
      evidence: { hops: [{ remoteAddress: null, addresses: [{ address: '127.0.0.1', fate: 'failed' }] }] },
    })
  })

  test('a request to a proxy that asks for nothing tells it nothing', async () => {
    await using target = await startHttpTarget({ '/': ok })
    const { dial } = plainDial({ forwarder: { authorization: null }, proxied: true })
    await attemptOver(target.origin, {}, { dial })
    expect(target.requests[0]?.url).toBe(`${target.origin}/`)
    expect(target.requests[0]?.headers).not.toHaveProperty('proxy-authorization')
  })
})

describe('a connection', () => {
  test('is closed as soon as the response is complete, whatever the target does, with nobody listening', async () => {
    const ended = Promise.withResolvers<void>()
    await using target = await startTcpTarget((socket) => {
      socket.on('close', () => ended.resolve())
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok and more'))
    })
    const { dial, sockets } = plainDial()
    expect(await attemptOver(target.origin, {}, { dial })).toMatchObject({ kind: 'observed' })
    await ended.promise
    for (const event of ['data', 'end', 'close']) {
      const mine = sockets.flatMap((socket) => socket.listeners(event)).map(String)
      expect(mine.filter((listener) => listener.includes('parser'))).toEqual([])
    }
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true])
    // What the system still says of it is nobody's concern.
    expect(() => sockets[0]?.emit('error', new Error('late'))).not.toThrow()
  })

  test('that the target does not end is closed with all that is unread', async () => {
    const unread = Promise.withResolvers<Buffer>()
    await using target = await startTcpTarget((socket) => {
      unread.resolve(buffer(socket))
      socket.write('HTTP/1.1 204 No Content\r\ncontent-length: 1000000\r\n\r\n')
    })
    expect((await observe(target.origin)).observation.response).toMatchObject({ status: 204, body: '' })
    await unread.promise.catch(() => {})
  })
})
