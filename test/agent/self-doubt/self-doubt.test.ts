import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createSelfDoubt, type SelfDoubtOptions } from '../../../src/agent/self-doubt/self-doubt.ts'
import type { Outcome } from '../../../src/contract/outcome.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { judge } from '../../../src/rules/judge.ts'
import { apiDefinition, entry } from '../../support/api-definition.ts'
import { observed, timedOut, unreachable } from '../../support/api-outcomes.ts'
import { startBlackHole } from '../../support/black-hole.ts'
import { startDnsTarget } from '../../support/dns-target.ts'
import { freePort } from '../../support/free-port.ts'
import { logLines } from '../../support/log-lines.ts'

const host = '127.0.0.1'
const secret = 'hunter2'
const definition = {
  ...apiDefinition(`http://target.test/?key=${secret}`, { headers: [entry('x-api-key', secret)] }),
  maxResponseTimeMs: 5000,
}

function setUp(options: Partial<SelfDoubtOptions> = {}) {
  const { logger, lines } = logLines()
  const selfDoubt = createSelfDoubt({
    logger,
    monotonicMs: systemClock.monotonicMs,
    stalledMsSince: () => 0,
    useOsDnsResolver: false,
    canaries: [],
    defaultCanary: null,
    ...options,
  })
  onTestFinished(() => selfDoubt.close())
  const ownFault = (outcome: Outcome, signal?: AbortSignal) =>
    selfDoubt.ownFault(
      { outcome, definition, verdict: judge(definition, outcome).verdict, begunMs: 1000 },
      signal,
    )
  return { selfDoubt, ownFault, lines }
}

/** Time stands still but for `advance`; sockets are real. */
function holdTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
}
afterEach(() => {
  vi.useRealTimers()
})

describe('a stall', () => {
  test('is our own fault after a time-out, and says how long it was', async () => {
    const { ownFault } = setUp({ stalledMsSince: () => 7500 })
    expect(await ownFault(timedOut())).toEqual({
      reason: 'event-loop-stall',
      message: expect.stringContaining('7500 ms'),
    })
  })

  test('excuses a slow answer only as far as it lies in the measured time', async () => {
    const slow = observed({}, 5200)
    const windows: (number | undefined)[][] = []
    const inTime = (stalledMs: number) => (fromMs: number, toMs?: number) => {
      windows.push([fromMs, toMs])
      return toMs === undefined ? 5000 : stalledMs
    }
    expect(await setUp({ stalledMsSince: inTime(300) }).ownFault(slow)).toMatchObject({
      reason: 'event-loop-stall',
    })
    expect(await setUp({ stalledMsSince: inTime(100) }).ownFault(slow)).toBeNull()
    expect(windows).toContainEqual([1000, 6200])
  })
})

describe('name servers', () => {
  test('none of which answers are our own fault', async () => {
    const nameServers = [`${host}:${await freePort()}`]
    const fault = await setUp({ nameServers }).ownFault(unreachable('dns-timeout'))
    expect(fault).toEqual({
      reason: 'resolver-unreachable',
      message: expect.stringContaining(`${nameServers}`),
    })
  })

  test('of which one answers are the fault of the name', async () => {
    await using dns = await startDnsTarget({})
    const nameServers = [`${host}:${await freePort()}`, dns.nameServer]
    expect(await setUp({ nameServers }).ownFault(unreachable('dns-timeout'))).toBeNull()
  })

  test('are asked once for all attempts that fail at the same time', async () => {
    await using dns = await startDnsTarget({})
    const { ownFault } = setUp({ nameServers: [dns.nameServer] })
    await Promise.all(Array.from({ length: 200 }, () => ownFault(unreachable('dns-timeout'))))
    expect(dns.asked).toHaveLength(1)
  })

  test('are not asked about what a target answered', async () => {
    await using dns = await startDnsTarget({})
    const { ownFault } = setUp({ nameServers: [dns.nameServer] })
    for (const outcome of [observed({ status: 500 }), unreachable('refused'), unreachable('dns-nxdomain')]) {
      expect(await ownFault(outcome)).toBeNull()
    }
    expect(dns.asked).toEqual([])
  })
})

describe('canaries', () => {
  const timeout = timedOut()

  test('none of which answers within 3 s are our own fault', async () => {
    await using hole = await startBlackHole()
    holdTime()
    const { ownFault } = setUp({ canaries: [{ host, port: hole.port }] })
    let ended = false
    const fault = ownFault(timeout).finally(() => {
      ended = true
    })
    await vi.advanceTimersByTimeAsync(2999)
    expect(ended).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(await fault).toEqual({
      reason: 'no-egress',
      message: expect.stringContaining(`${host}:${hole.port}`),
    })
  })

  test("of which one answers show that the fault is the target's", async () => {
    await using hole = await startBlackHole()
    const canaries = [
      { host, port: hole.port },
      { host, port: await freePort() },
    ]
    expect(await setUp({ canaries }).ownFault(timeout)).toBeNull()
  })

  test('are the service where none are set, and only there', async () => {
    await using hole = await startBlackHole()
    holdTime()
    const service = { host, port: hole.port }
    const fault = setUp({ defaultCanary: service }).ownFault(timeout)
    await vi.advanceTimersByTimeAsync(3000)
    expect(await fault).toMatchObject({ reason: 'no-egress' })
    const canaries = [{ host, port: await freePort() }]
    expect(await setUp({ defaultCanary: service, canaries }).ownFault(timeout)).toBeNull()
  })

  test('that are not there at all say nothing', async () => {
    expect(await setUp().ownFault(timeout)).toBeNull()
  })

  test('whose names do not exist say nothing, and that is said once', async () => {
    const { ownFault, lines } = setUp({ canaries: [{ host: `${'a'.repeat(64)}.invalid`, port: 1 }] })
    expect(await Promise.all([ownFault(timeout), ownFault(timeout)])).toEqual([null, null])
    expect(lines.map(({ msg }) => msg)).toEqual([expect.stringContaining('PICKET_CANARIES')])
  })
})

test('a trouble is said when it begins and when it is over', async () => {
  const port = await freePort()
  const { ownFault, lines } = setUp({ nameServers: [`${host}:${port}`], lookAgainMs: 1 })
  await ownFault(unreachable('dns-timeout'))
  expect(lines).toMatchObject([{ level: 40, reason: 'resolver-unreachable' }])
  const alive = createSocket('udp4')
  // A question with the mark of an answer is one.
  alive.on('message', (query, from) => {
    query.writeUInt8(query.readUInt8(2) | 0x80, 2)
    alive.send(query, from.port, from.address)
  })
  alive.bind(port, host)
  await once(alive, 'listening')
  onTestFinished(() => void alive.close())
  await vi.waitFor(() => expect(lines).toHaveLength(2), { timeout: 5000 })
  expect(lines[1]).toMatchObject({ level: 30, reason: 'resolver-unreachable', attempts: 1 })
})

test('nothing of a check is in what is said of us', async () => {
  await using hole = await startBlackHole()
  holdTime()
  const { ownFault, lines } = setUp({
    nameServers: [`${host}:${await freePort()}`],
    canaries: [{ host, port: hole.port }],
    stalledMsSince: () => 999,
  })
  const faults = Promise.all(
    (['dns-timeout', 'connect-timeout', 'reset'] as const).map((failure) => ownFault(unreachable(failure))),
  )
  await vi.advanceTimersByTimeAsync(3000)
  const said = JSON.stringify([await faults, lines])
  expect(said).toContain('no-egress')
  expect(said).not.toMatch(/hunter2|target\.test|x-api-key/)
})

describe('an end in the middle of the questions', () => {
  test('by the signal rejects with its reason', async () => {
    await using hole = await startBlackHole()
    const { ownFault } = setUp({ canaries: [{ host, port: hole.port }] })
    const stop = new AbortController()
    const fault = ownFault(timedOut(), stop.signal)
    stop.abort(new Error('let go'))
    await expect(fault).rejects.toThrow('let go')
    await expect(ownFault(timedOut(), stop.signal)).rejects.toThrow('let go')
  })

  test('by closing says nothing, at once', async () => {
    await using hole = await startBlackHole()
    holdTime()
    const { ownFault, selfDoubt, lines } = setUp({ canaries: [{ host, port: hole.port }] })
    const fault = ownFault(timedOut())
    selfDoubt.close()
    expect(await fault).toBeNull()
    expect(lines).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })
})
