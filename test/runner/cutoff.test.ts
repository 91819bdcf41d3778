import { getEventListeners } from 'node:events'
import { describe, expect, test, vi } from 'vitest'
import type { Dial } from '../../src/runner/dial/dial.ts'
import { attempt, fail } from '../support/api-attempt.ts'
import { attemptOver } from '../support/api-attempt-over.ts'
import { startBlackHole } from '../support/black-hole.ts'
import { startDnsTarget } from '../support/dns-target.ts'
import { type Route, startHttpTarget } from '../support/http-target.ts'
import { plainDial } from '../support/plain-dial.ts'
import { startTcpTarget } from '../support/tcp-target.ts'

const ok: Route = (response) => response.end('ok')
const sum = (phasesUs: Readonly<Record<string, number | null>>) =>
  Object.values(phasesUs).reduce<number>((total, us) => total + (us ?? 0), 0)

describe('the cap on an attempt', () => {
  test('ends waiting for a name server', async () => {
    await using dns = await startDnsTarget({ 'a.invalid': 'silence' })
    const outcome = await fail('http://a.invalid/', {}, { attemptMs: 50, nameServers: [dns.nameServer] })
    expect(outcome).toMatchObject({ kind: 'timed-out', during: 'dns', cause: { class: 'dns-timeout' } })
  })

  test.each([
    ['the handshake', 'https', '', 'tls', 'tls-timeout'],
    ['the first byte', 'http', '', 'firstByte', 'first-byte-timeout'],
    ['the final response', 'http', 'HTTP/1.1 103 x\r\n\r\n', 'firstByte', 'first-byte-timeout'],
    ['the headers', 'http', 'HTTP/1.1 200 OK\r\nx: 1\r\n', 'download', 'body-timeout'],
    ['the body', 'http', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhello', 'download', 'body-timeout'],
  ] as const)('ends waiting for %s', async (_what, scheme, text, during, expected) => {
    await using target = await startTcpTarget((socket) => socket.write(text))
    const outcome = await fail(`${scheme}://127.0.0.1:${target.port}`, {}, { attemptMs: 250 })
    expect(outcome).toMatchObject({
      kind: 'timed-out',
      during,
      cause: { class: expected, code: null, phase: during },
    })
    expect(outcome.timings.phasesUs[during]).toBeGreaterThan(100_000)
    expect(sum(outcome.timings.phasesUs)).toBe(outcome.timings.totalUs)
    expect(outcome.evidence.response?.body ?? null).toBe(text.endsWith('hello') ? 'hello' : null)
  })

  test('ends sending to a target that takes nothing', async () => {
    await using target = await startTcpTarget((socket) => socket.pause())
    const request = { method: 'POST', bodyType: 'RAW', body: 'x'.repeat(30_000_000) } as const
    const outcome = await fail(target.origin, request, { attemptMs: 300 })
    expect(outcome).toMatchObject({ kind: 'timed-out', during: 'send', cause: { class: 'send-timeout' } })
  })
})

describe('the signal', () => {
  test('ends a running attempt with its own reason and closes the connection', async () => {
    const closed = vi.fn()
    const connected = Promise.withResolvers<void>()
    await using target = await startTcpTarget((socket) => {
      socket.on('close', closed).once('data', () => connected.resolve())
    })
    const stopping = new AbortController()
    const running = attempt(target.origin, {}, { signal: stopping.signal })
    await connected.promise
    stopping.abort(new Error('we are leaving'))
    await expect(running).rejects.toThrow('we are leaving')
    await vi.waitFor(() => expect(closed).toHaveBeenCalled())
  })

  test('lets nothing begin when it has ended before', async () => {
    await using target = await startHttpTarget({ '/': ok })
    const signal = AbortSignal.abort(new Error('we have left'))
    await expect(attempt(target.origin, {}, { signal })).rejects.toThrow('we have left')
    expect(target.connections()).toBe(0)
  })

  test('ends a look-up and a handshake as well', async () => {
    await using dns = await startDnsTarget({ 'a.invalid': 'silence' })
    await using silent = await startTcpTarget(() => {})
    for (const url of ['http://a.invalid/', `https://127.0.0.1:${silent.port}`]) {
      const stopping = new AbortController()
      const running = attempt(url, {}, { signal: stopping.signal, nameServers: [dns.nameServer] })
      setImmediate(() => stopping.abort(new Error('we are leaving')))
      await expect(running).rejects.toThrow('we are leaving')
    }
  })

  test('ends an attempt that has not come to its first phase', async () => {
    const stopping = new AbortController()
    const dial: Dial = (_target, _watcher, done) => (error) => done(error, null)
    const running = attemptOver('http://a.example/', {}, { dial, signal: stopping.signal })
    stopping.abort(new Error('we are leaving'))
    await expect(running).rejects.toThrow('we are leaving')
  })

  test('ends waiting for a connection as well, and whoever opens it is told', async () => {
    await using blackHole = await startBlackHole()
    const stopping = new AbortController()
    const { dial, stops, sockets } = plainDial({ port: blackHole.port })
    const running = attemptOver('http://a.example/', {}, { dial, signal: stopping.signal })
    setImmediate(() => stopping.abort(new Error('we are leaving')))
    await expect(running).rejects.toThrow('we are leaving')
    expect(stops).toHaveLength(1)
    expect(sockets).toEqual([])
  })

  test.each([
    ['before the first byte', ''],
    ['in the headers', 'HTTP/1.1 200 OK\r\nx: 1\r\n'],
    ['in a body', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhello'],
  ])('ends a response %s and closes the connection', async (_what, text) => {
    const [written, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await using target = await startTcpTarget((socket) => {
      socket.on('close', () => closed.resolve())
      socket.once('data', () => socket.write(text, () => written.resolve()))
    })
    const stopping = new AbortController()
    const running = attempt(target.origin, {}, { signal: stopping.signal })
    await written.promise
    stopping.abort(new Error('we are leaving'))
    await expect(running).rejects.toThrow('we are leaving')
    await closed.promise
  })

  test('ends the sending of a request', async () => {
    const begun = Promise.withResolvers<void>()
    await using target = await startTcpTarget((socket) => {
      socket.once('data', () => {
        socket.pause()
        begun.resolve()
      })
    })
    const stopping = new AbortController()
    const request = { method: 'POST', bodyType: 'RAW', body: 'x'.repeat(30_000_000) } as const
    const running = attempt(target.origin, request, { signal: stopping.signal })
    await begun.promise
    stopping.abort(new Error('we are leaving'))
    await expect(running).rejects.toThrow('we are leaving')
  })

  test('leaves nothing behind: no listener of its own, and no timer', async () => {
    await using target = await startHttpTarget({ '/': ok })
    const { signal } = new AbortController()
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timers()
    await attempt(target.origin, {}, { signal })
    await fail('nonsense', {}, { signal })
    await fail(target.origin, { headers: [{ key: 'a b', value: '', locked: false }] }, { signal })
    expect(getEventListeners(signal, 'abort')).toEqual([])
    expect(timers()).toBeLessThanOrEqual(before)
  })
})
