import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { TriedAddress } from '../../../src/contract/connection.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { Race, type RaceOptions } from '../../../src/runner/dial/connect.ts'
import { startBlackHole } from '../../support/black-hole.ts'
import { freePort } from '../../support/free-port.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { closedAgain, openNow } from '../../support/open-now.ts'
import { startTcpTarget } from '../../support/tcp-target.ts'

interface Ended {
  readonly error: Error | null
  readonly socket: Socket | null
}

/** A race that has begun, and what it tells. */
function race(addresses: readonly string[], options: Partial<RaceOptions> & { port: number }) {
  const tried: TriedAddress[] = []
  const { promise: ended, resolve } = Promise.withResolvers<Ended>()
  const begun = new Race(
    { clock: systemClock, forbids: () => false, onTried: (one) => tried.push(one), ...options },
    (error, socket) => resolve({ error, socket }),
  )
  begun.add(addresses)
  begun.complete()
  const fates = () =>
    tried.map(({ address, fate, code }) => [address, fate, ...(code ? [code] : [])].join(' '))
  return { begun, ended, tried, fates }
}

/** Listens on another address of this machine than the black hole with the same port. */
async function listenBeside(port: number, address = '127.0.0.2') {
  const server = createServer((socket) => socket.on('error', () => {}).resume())
  server.listen(port, address)
  await once(server, 'listening')
  return server
}

afterEach(() => {
  vi.useRealTimers()
})

describe('a race of addresses', () => {
  test('goes on at once to the next address when one refuses', async () => {
    await using target = await startTcpTarget(() => {})
    const it = race(['127.0.0.2', '127.0.0.3', '127.0.0.1'], {
      port: target.port,
      // Nothing is due by the clock.
      clock: manualClock(),
    })
    const { socket } = await it.ended
    expect(socket?.remoteAddress).toBe('127.0.0.1')
    expect(it.fates()).toEqual([
      '127.0.0.2 failed ECONNREFUSED',
      '127.0.0.3 failed ECONNREFUSED',
      '127.0.0.1 connected',
    ])
    socket?.destroy()
  })

  test('goes no further than the first address that answers', async () => {
    await using target = await startTcpTarget(() => {})
    const it = race(['127.0.0.1', '127.0.0.2'], { port: target.port })
    const { socket } = await it.ended
    expect(it.fates()).toEqual(['127.0.0.1 connected'])
    expect(socket?.listenerCount('error')).toBe(0)
    socket?.destroy()
  })

  test('does not wait for an address that hangs', async () => {
    await using hole = await startBlackHole()
    const server = await listenBeside(hole.port)
    const before = openNow()
    const it = race(['127.0.0.1', '127.0.0.2'], { port: hole.port })
    const { socket } = await it.ended
    expect(socket?.remoteAddress).toBe('127.0.0.2')
    expect(it.fates()).toEqual(['127.0.0.2 connected', '127.0.0.1 abandoned'])
    const [won, lost] = it.tried
    expect((lost?.tookUs ?? 0) - (won?.tookUs ?? 0)).toBeGreaterThan(240_000)
    socket?.destroy()
    await closedAgain(before)
    server.close()
  })

  test('goes on at once when one refuses while another hangs', async () => {
    await using hole = await startBlackHole()
    const server = await listenBeside(hole.port, '127.0.0.3')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const clock = manualClock()
    const it = race(['127.0.0.1', '127.0.0.2', '127.0.0.3'], { port: hole.port, clock })
    clock.ms = 250
    vi.advanceTimersByTime(250)
    const { socket } = await it.ended
    expect(it.fates()).toEqual([
      '127.0.0.2 failed ECONNREFUSED',
      '127.0.0.3 connected',
      '127.0.0.1 abandoned',
    ])
    expect(it.tried.map(({ tookUs }) => tookUs)).toEqual([0, 0, 250_000])
    expect(vi.getTimerCount()).toBe(0)
    socket?.destroy()
    server.close()
  })

  test('fails as the address that failed last', async () => {
    const it = race(['127.0.0.2', '127.0.0.1'], { port: await freePort() })
    expect((await it.ended).error).toMatchObject({ code: 'ECONNREFUSED', address: '127.0.0.1' })
    expect(it.fates()).toEqual(['127.0.0.2 failed ECONNREFUSED', '127.0.0.1 failed ECONNREFUSED'])
  })

  test.each([
    [['127.0.0.1', '224.0.0.1'], 'ECONNREFUSED'],
    [['224.0.0.1', '127.0.0.1'], 'ECONNREFUSED'],
    [['224.0.0.1'], 'ENETUNREACH'],
  ])('says that there is no way only when no address of %j says more: %s', async (addresses, code) => {
    const it = race(addresses, { port: await freePort() })
    expect((await it.ended).error).toMatchObject({ code })
    expect(it.tried).toHaveLength(addresses.length)
  })

  test('skips what is forbidden, and says so', async () => {
    await using target = await startTcpTarget(() => {})
    const forbids = (address: string) => address !== '127.0.0.1'
    const it = race(['127.0.0.2', '127.0.0.3', '127.0.0.1'], { port: target.port, forbids })
    const { socket } = await it.ended
    expect(it.fates()).toEqual(['127.0.0.2 forbidden', '127.0.0.3 forbidden', '127.0.0.1 connected'])
    expect(it.tried[0]?.tookUs).toBe(0)
    socket?.destroy()
  })

  test('fails as forbidden only when nothing else was tried', async () => {
    const port = await freePort()
    const all = race(['127.0.0.2', '127.0.0.3'], { port, forbids: () => true })
    expect((await all.ended).error).toMatchObject({ code: 'EGRESS_FORBIDDEN', address: '127.0.0.2' })
    const one = race(['127.0.0.2', '127.0.0.1'], { port, forbids: (address) => address === '127.0.0.2' })
    expect((await one.ended).error).toMatchObject({ code: 'ECONNREFUSED' })
  })

  test('leaves nothing behind when it is stopped, and tells what was open', async () => {
    await using hole = await startBlackHole()
    const before = openNow()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const it = race(['127.0.0.1', '127.0.0.1', '127.0.0.1'], { port: hole.port })
    expect(vi.getTimerCount()).toBe(1)
    it.begun.stop()
    expect(vi.getTimerCount()).toBe(0)
    it.begun.stop()
    expect(it.fates()).toEqual(['127.0.0.1 abandoned'])
    await closedAgain(before)
  })

  test('keeps six open at most, and gives up the first of them after 5 s for one not tried yet', async () => {
    await using hole = await startBlackHole()
    const server = await listenBeside(hole.port)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const clock = manualClock()
    const it = race([...Array(8).fill('127.0.0.1'), '127.0.0.2'], { port: hole.port, clock })
    const pass = (ms: number) => {
      clock.ms += ms
      vi.advanceTimersByTime(ms)
    }
    for (let ms = 0; ms < 4990; ms += 10) pass(10)
    expect(it.tried).toEqual([])
    const abandonedAtMs: number[] = []
    while (abandonedAtMs.length < 3 && clock.ms < 9000) {
      pass(10)
      if (it.tried.length > abandonedAtMs.length) abandonedAtMs.push(clock.ms)
    }
    expect(abandonedAtMs).toEqual([5000, 5250, 5500])
    const { socket } = await it.ended
    expect(socket?.remoteAddress).toBe('127.0.0.2')
    expect(it.fates()).toEqual([
      ...Array(3).fill('127.0.0.1 abandoned'),
      '127.0.0.2 connected',
      ...Array(5).fill('127.0.0.1 abandoned'),
    ])
    expect(vi.getTimerCount()).toBe(0)
    socket?.destroy()
    server.close()
  })

  test('waits for more addresses until it is told that there are none', async () => {
    await using target = await startTcpTarget(() => {})
    const tried: TriedAddress[] = []
    const { promise, resolve } = Promise.withResolvers<Ended>()
    const begun = new Race(
      { port: target.port, clock: systemClock, forbids: () => false, onTried: (one) => tried.push(one) },
      (error, socket) => resolve({ error, socket }),
    )
    begun.add(['127.0.0.2'])
    await vi.waitFor(() => expect(tried).toHaveLength(1))
    begun.add(['127.0.0.1'])
    const { socket } = await promise
    expect(socket?.remoteAddress).toBe('127.0.0.1')
    begun.complete()
    socket?.destroy()
  })
})
