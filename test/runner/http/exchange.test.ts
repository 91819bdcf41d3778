import { describe, expect, test } from 'vitest'
import { Outcome } from '../../../src/contract/outcome.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { validator } from '../../../src/lib/validate.ts'
import { createRunCheck } from '../../../src/runner/run-check.ts'
import { attempt, fail, observe } from '../../support/api-attempt.ts'
import { attemptOver } from '../../support/api-attempt-over.ts'
import { apiDefinition } from '../../support/api-definition.ts'
import { startDnsTarget } from '../../support/dns-target.ts'
import { type Route, startHttpTarget } from '../../support/http-target.ts'
import { plainDial } from '../../support/plain-dial.ts'
import { answerRaw, startTcpTarget } from '../../support/tcp-target.ts'

const ok: Route = (response) => response.end('ok')
const sum = (phasesUs: Readonly<Record<string, number | null>>) =>
  Object.values(phasesUs).reduce<number>((total, us) => total + (us ?? 0), 0)

describe('a failure', () => {
  test('to connect is refused', async () => {
    const gone = await startTcpTarget(() => {})
    await gone[Symbol.asyncDispose]()
    const outcome = await fail(gone.origin)
    expect(outcome).toMatchObject({ kind: 'unreachable', cause: { class: 'refused', code: 'ECONNREFUSED' } })
    expect(outcome.timings.phasesUs).toEqual({
      dns: null,
      connect: expect.any(Number),
      tls: null,
      send: null,
      firstByte: null,
      download: null,
    })
    expect(outcome.timings.totalUs).toBe(outcome.timings.phasesUs.connect)
  })

  test('by a reset is told from one by a plain end', async () => {
    await using resetting = await startTcpTarget((socket) =>
      socket.once('data', () => socket.resetAndDestroy()),
    )
    expect((await fail(resetting.origin)).cause).toMatchObject({ class: 'reset', phase: 'firstByte' })
    await using ending = await startTcpTarget(answerRaw(''))
    expect((await fail(ending.origin)).cause).toMatchObject({ class: 'closed', phase: 'firstByte' })
  })

  test.each([
    ['of a known length', 'content-length: 10\r\n\r\nhello', 'hello'],
    ['of a known length, kept alive', 'content-length: 10\r\nconnection: keep-alive\r\n\r\nhello', 'hello'],
    ['in chunks, closed', 'connection: close\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n', 'hello'],
    ['in chunks', 'transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n', 'hello'],
  ])('to send a whole body %s is truncated and keeps what came', async (_what, rest, body) => {
    await using target = await startTcpTarget(answerRaw(`HTTP/1.1 200 OK\r\n${rest}`))
    expect(await fail(target.origin)).toMatchObject({
      kind: 'unreachable',
      cause: { class: 'truncated', phase: 'download' },
      evidence: { response: { status: 200, body, truncated: true } },
    })
  })

  test('in the middle of a body without a length is a reset, not its end', async () => {
    await using target = await startTcpTarget((socket) =>
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\n\r\nhel', () => socket.resetAndDestroy())),
    )
    const { cause } = await fail(target.origin)
    expect(['firstByte', 'download']).toContain(cause.phase)
    expect(cause.class).toBe('reset')
  })

  test.each([
    ['http-malformed', 'firstByte', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['http-malformed', 'download', 'HTTP/1.1 200 OK\r\nno colon here\r\n\r\n'],
    ['headers-too-large', 'download', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(70_000)}\r\n\r\n`],
  ])('to speak HTTP is %s in %s', async (expected, phase, text) => {
    await using target = await startTcpTarget(answerRaw(text))
    expect((await fail(target.origin)).cause).toMatchObject({ class: expected, phase })
  })

  test.each([
    ['NXDOMAIN', 'dns-nxdomain', 'ENOTFOUND'],
    ['SERVFAIL', 'dns-servfail', 'ESERVFAIL'],
  ] as const)('to find the name, %s, is %s', async (answer, expected, code) => {
    await using dns = await startDnsTarget({ 'a.invalid': answer })
    const outcome = await fail('http://a.invalid/', {}, { nameServers: [dns.nameServer] })
    expect(outcome).toMatchObject({ kind: 'unreachable', cause: { class: expected, code, phase: 'dns' } })
    expect(outcome.timings.phasesUs).toMatchObject({ dns: outcome.timings.totalUs, connect: null })
  })

  test('of a connection that is gone without a word is told all the same', async () => {
    const asked = Promise.withResolvers<void>()
    await using target = await startTcpTarget((socket) => socket.once('data', () => asked.resolve()))
    const { dial, sockets } = plainDial()
    const running = attemptOver(target.origin, {}, { dial })
    await asked.promise
    for (const socket of sockets) socket.destroy()
    expect(await running).toMatchObject({ cause: { class: 'closed', phase: 'firstByte' } })
  })

  test('has the shape of the contract', async () => {
    await using target = await startTcpTarget(answerRaw('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhello'))
    const valid = validator(Outcome)
    for (const url of [target.origin, 'nonsense']) {
      expect(valid(JSON.parse(JSON.stringify(await attempt(url))))).toMatchObject({ kind: 'valid' })
    }
  })
})

describe('the phases', () => {
  test('are told for what happened and null for what did not', async () => {
    await using target = await startHttpTarget({ '/': ok })
    const byAddress = await observe(target.origin)
    expect(byAddress.timings.phasesUs).toMatchObject({ dns: null, tls: null })
    const byName = await observe(`http://localhost:${target.port}`)
    expect(byName.timings.phasesUs).toMatchObject({ dns: expect.any(Number), tls: null })
    for (const { timings } of [byAddress, byName]) {
      expect(sum(timings.phasesUs)).toBe(timings.totalUs)
      expect(Math.abs(timings.startedAt - Date.now())).toBeLessThan(60_000)
    }
  })

  test('give a late first byte to the first byte, and a late last byte to the download', async () => {
    const delayMs = 200
    const lateHead: Route = (response) => setTimeout(() => response.end('ok'), delayMs)
    const lateTail: Route = (response) => {
      response.write('o')
      setTimeout(() => response.end('k'), delayMs)
    }
    await using target = await startHttpTarget({ '/head': lateHead, '/tail': lateTail })
    const head = (await observe(`${target.origin}/head`)).timings.phasesUs
    expect(head.firstByte).toBeGreaterThan(delayMs * 950)
    expect(head.download).toBeLessThan(delayMs * 500)
    const tail = (await observe(`${target.origin}/tail`)).timings.phasesUs
    expect(tail.download).toBeGreaterThan(delayMs * 950)
    expect(tail.firstByte).toBeLessThan(delayMs * 500)
  })

  test('give the sending to a target that is slow to take the request', async () => {
    const delayMs = 200
    const body = 'x'.repeat(30_000_000)
    await using target = await startTcpTarget((socket) => {
      let bytes = 0
      socket.once('data', () => {
        socket.pause()
        setTimeout(() => socket.resume(), delayMs)
      })
      socket.on('data', (chunk) => {
        bytes += chunk.length
        if (bytes > body.length) socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
      })
    })
    const { timings } = await observe(target.origin, { method: 'POST', bodyType: 'RAW', body })
    expect(timings.phasesUs.send).toBeGreaterThan(delayMs * 950)
  })

  test('give all that follows an early answer to the download, the sending that goes on included', async () => {
    const delayMs = 200
    const body = 'x'.repeat(30_000_000)
    await using target = await startTcpTarget((socket) => {
      let bytes = 0
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n'))
      socket.on('data', (chunk) => {
        bytes += chunk.length
        if (bytes > body.length) setTimeout(() => socket.end('ok'), delayMs)
      })
    })
    const { timings } = await observe(target.origin, { method: 'POST', bodyType: 'RAW', body })
    expect(timings.phasesUs.download).toBeGreaterThan(delayMs * 950)
  })

  test('tell the first byte from the last of the headers', async () => {
    const delayMs = 200
    await using target = await startTcpTarget((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\n')
        setTimeout(() => socket.end('content-length: 2\r\n\r\nok'), delayMs)
      })
    })
    const { timings } = await observe(target.origin)
    expect(timings.phasesUs.download).toBeGreaterThan(delayMs * 950)
  })

  test('give a slow name server to the look-up, and a remembered answer next to nothing', async () => {
    const delayMs = 200
    await using target = await startHttpTarget({ '/': ok })
    await using dns = await startDnsTarget({ 'a.invalid': { addresses: ['127.0.0.1'], ttl: 60, delayMs } })
    const run = createRunCheck({
      clock: systemClock,
      useOsDnsResolver: false,
      version: '1.2.3',
      nameServers: [dns.nameServer],
    })
    const definition = apiDefinition(`http://a.invalid:${target.port}`)
    const { signal } = new AbortController()
    const first = await run(definition, signal)
    expect(first).toMatchObject({ observation: { hops: [{ remoteAddress: '127.0.0.1' }] } })
    expect(first.timings.phasesUs.dns).toBeGreaterThan(delayMs * 950)
    expect((await run(definition, signal)).timings.phasesUs.dns).toBeLessThan(delayMs * 500)
    expect(target.requests[0]?.headers.host).toBe(`a.invalid:${target.port}`)
  })
})
