import { describe, expect, test, vi } from 'vitest'
import { attempt, fail } from '../support/api-attempt.ts'
import { startDnsTarget } from '../support/dns-target.ts'
import { type Route, startHttpTarget } from '../support/http-target.ts'
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
    ['the headers', 'http', 'HTTP/1.1 200 OK\r\nx: 1\r\n', 'firstByte', 'first-byte-timeout'],
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
    expect(outcome.evidence.response?.body ?? null).toBe(during === 'download' ? 'hello' : null)
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
})
