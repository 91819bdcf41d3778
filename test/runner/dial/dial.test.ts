import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { systemClock } from '../../../src/lib/clock.ts'
import { createEgressPolicy } from '../../../src/rules/egress/egress-policy.ts'
import { type EgressRules, parseEgressRules } from '../../../src/rules/egress/egress-rules.ts'
import type { DialerOptions } from '../../../src/runner/dial/dial.ts'
import { createResolver } from '../../../src/runner/dial/resolve.ts'
import { failureOf } from '../../../src/runner/failures.ts'
import { ask } from '../../support/ask-resolver.ts'
import { startBlackHole } from '../../support/black-hole.ts'
import { beginDial, dialed, dialer } from '../../support/dialed.ts'
import { type DnsAnswer, startDnsTarget } from '../../support/dns-target.ts'
import { freePort } from '../../support/free-port.ts'
import { closedAgain, openNow } from '../../support/open-now.ts'
import { startTcpTarget } from '../../support/tcp-target.ts'

/** A dialer for which target.test leads to this; over IPv6 to something else where that is told. */
async function named(answer: DnsAnswer, options: Partial<DialerOptions> = {}, ofIpv6: DnsAnswer = answer) {
  const dns = await startDnsTarget({ 'target.test': answer, 'AAAA target.test': ofIpv6 })
  const files = { hostsFile: '/nowhere/hosts', resolvConf: '/nowhere/resolv.conf' }
  const resolve = createResolver({ clock: systemClock, nameServers: [dns.nameServer], ...files })
  return {
    dns,
    resolve,
    dial: dialer({ resolve, ...options }),
    [Symbol.asyncDispose]: () => dns[Symbol.asyncDispose](),
  }
}

async function listen(address: string, port = 0): Promise<Server & { port: number }> {
  const server = createServer((socket) => socket.on('error', () => {}).resume()).listen(port, address)
  await once(server, 'listening')
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('not listening on a port')
  return Object.assign(server, { port: bound.port })
}

const both: DnsAnswer = { addresses: ['127.0.0.1', '::1'], ttl: 60 }
const hostname = 'target.test'

afterEach(() => {
  vi.useRealTimers()
})

describe('dialing a name', () => {
  test.each([
    [4, '127.0.0.1'],
    [6, '::1'],
  ] as const)('of family %i takes its addresses only', async (family, address) => {
    await using it = await named(both)
    const [ipv4] = [await listen('127.0.0.1')]
    const ipv6 = await listen('::1', ipv4.port)
    const result = await dialed(it.dial, { hostname, port: ipv4.port, family })
    expect(result.connection).toMatchObject({ forwarder: null, proxied: false })
    expect(result.tried).toMatchObject([{ address, fate: 'connected', code: null }])
    expect(result.phases).toEqual(['dns', 'connect'])
    expect(it.dns.asked).toHaveLength(1)
    result.connection?.socket.destroy()
    for (const server of [ipv4, ipv6]) server.close()
  })

  test('of any family prefers IPv6', async () => {
    await using it = await named({ ...both, delayIpv6Ms: 20 })
    const ipv4 = await listen('127.0.0.1')
    const ipv6 = await listen('::1', ipv4.port)
    const { tried, connection } = await dialed(it.dial, { hostname, port: ipv4.port, family: null })
    expect(tried).toMatchObject([{ address: '::1', fate: 'connected' }])
    expect(it.dns.asked).toHaveLength(2)
    connection?.socket.destroy()
    for (const server of [ipv4, ipv6]) server.close()
  })

  test('of any family falls back to IPv4 at once', async () => {
    await using it = await named(both)
    await using target = await startTcpTarget(() => {})
    const { tried, connection } = await dialed(it.dial, { hostname, port: target.port, family: null })
    expect(tried).toMatchObject([
      { address: '::1', fate: 'failed', code: 'ECONNREFUSED' },
      { address: '127.0.0.1', fate: 'connected' },
    ])
    connection?.socket.destroy()
  })

  test('of any family does not wait for a name server that keeps IPv6 to itself', async () => {
    await using it = await named({ ...both, delayIpv6Ms: 60_000 })
    await using target = await startTcpTarget(() => {})
    const before = openNow()
    const { tried, connection, phases } = await dialed(it.dial, { hostname, port: target.port, family: null })
    expect(tried).toMatchObject([{ address: '127.0.0.1', fate: 'connected' }])
    expect(phases).toEqual(['dns', 'connect'])
    expect(connection).not.toBeNull()
    connection?.socket.destroy()
    // The question for IPv6 is still open, for others to profit from.
    await closedAgain(before + 2)
  })

  test('of any family takes addresses of IPv6 that come late when those of IPv4 hang', async () => {
    await using it = await named({ ...both, delayIpv6Ms: 120 })
    await using hole = await startBlackHole()
    const ipv6 = await listen('::1', hole.port)
    const { tried, connection } = await dialed(it.dial, { hostname, port: hole.port, family: null })
    expect(tried).toMatchObject([
      { address: '::1', fate: 'connected' },
      { address: '127.0.0.1', fate: 'abandoned' },
    ])
    connection?.socket.destroy()
    ipv6.close()
  })

  test.each([
    ['NXDOMAIN', 'dns-nxdomain'],
    ['SERVFAIL', 'dns-servfail'],
    [{ addresses: [], ttl: 1 }, 'dns-no-address'],
  ] as const)('of any family that has none fails: %j', async (answer, expected) => {
    await using it = await named(answer)
    const { error, phases } = await dialed(it.dial, { hostname, port: 80, family: null })
    expect(phases).toEqual(['dns'])
    expect(failureOf(error, 'dns').class).toBe(expected)
  })

  test.each([
    ['SERVFAIL', 'ESERVFAIL', { addresses: [], ttl: 1 }],
    [{ addresses: [], ttl: 1 }, 'ESERVFAIL', 'SERVFAIL'],
  ] as const)('of any family fails as the family that says more: %j', async (ofIpv4, code, ofIpv6) => {
    await using it = await named(ofIpv4, {}, ofIpv6)
    const { error } = await dialed(it.dial, { hostname, port: 80, family: null })
    expect(error).toMatchObject({ code })
  })

  test('of any family leaves no timer behind when it is stopped while IPv4 waits for IPv6', async () => {
    await using it = await named({ addresses: ['127.0.0.1'], ttl: 60 }, {}, 'silence')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { stop, ended } = beginDial(it.dial, { hostname, port: 80, family: null })
    await ask(it.resolve, hostname)
    stop(new Error('enough'))
    await ended
    // That of the question for IPv6.
    expect(vi.getTimerCount()).toBe(1)
  })

  test('of any family goes without one that has no address', async () => {
    await using it = await named({ addresses: ['127.0.0.1'], ttl: 60 })
    const port = await freePort()
    const { error, tried } = await dialed(it.dial, { hostname, port, family: null })
    expect(tried).toMatchObject([{ address: '127.0.0.1', fate: 'failed' }])
    expect(failureOf(error, 'connect').class).toBe('refused')
  })

  test('asks the name servers again when told to', async () => {
    await using it = await named(both)
    const port = await freePort()
    for (const freshDns of [false, false, true]) await dialed(it.dial, { hostname, port, freshDns })
    expect(it.dns.asked).toHaveLength(2)
  })

  test('leaves nothing behind when it is stopped while it connects', async () => {
    await using it = await named(both)
    await using hole = await startBlackHole()
    const before = openNow()
    const dialing = beginDial(it.dial, { hostname, port: hole.port, family: 4 })
    await vi.waitFor(() => expect(dialing.phases).toEqual(['dns', 'connect']))
    const enough = new Error('enough')
    dialing.stop(enough)
    dialing.stop(new Error('once more'))
    const { error, tried } = await dialing.ended
    expect(error).toBe(enough)
    expect(tried).toMatchObject([{ address: '127.0.0.1', fate: 'abandoned' }])
    await closedAgain(before)
  })

  test('goes no further when it is stopped while it is looked up', async () => {
    await using it = await named({ ...both, delayMs: 50 })
    const dialing = beginDial(it.dial, { hostname, port: await freePort(), family: null })
    const enough = new Error('enough')
    dialing.stop(enough)
    const { error, tried, phases } = await dialing.ended
    expect(error).toBe(enough)
    // The answer comes all the same.
    await dialed(it.dial, { hostname, port: await freePort(), family: null })
    expect(it.dns.asked).toHaveLength(2)
    expect([phases, tried]).toEqual([['dns'], []])
  })
})

describe('dialing an address', () => {
  test.each([4, 6, null] as const)('asks nobody, whatever the family: %j', async (family) => {
    await using target = await startTcpTarget(() => {})
    const { connection, phases, tried } = await dialed(dialer(), { port: target.port, family })
    expect(phases).toEqual(['connect'])
    expect(tried).toMatchObject([{ address: '127.0.0.1', fate: 'connected' }])
    expect(tried[0]?.tookUs).toBeGreaterThan(0)
    connection?.socket.destroy()
  })

  test('is not undone by a stop that comes late', async () => {
    await using target = await startTcpTarget(() => {})
    const dialing = beginDial(dialer(), { port: target.port })
    const { connection } = await dialing.ended
    dialing.stop(new Error('late'))
    expect(connection?.socket.destroyed).toBe(false)
    connection?.socket.destroy()
  })

  test('of a port that is none is a fault of our own', async () => {
    const { error } = await dialed(dialer(), { port: 65_536 })
    expect(() => failureOf(error, 'connect')).toThrow(expect.objectContaining({ code: 'RUNNER_FAULT' }))
  })
})

describe('what the egress policy refuses', () => {
  const rules = (text: string): EgressRules => {
    const parsed = parseEgressRules(text)
    if ('fault' in parsed) throw new Error(parsed.fault)
    return parsed.rules
  }
  const policy = ({ allow = '', deny = '' }) => createEgressPolicy({ allow: rules(allow), deny: rules(deny) })

  test('is skipped among the addresses of a name', async () => {
    await using target = await startTcpTarget(() => {})
    const addresses = ['169.254.169.254', '127.0.0.1']
    await using it = await named({ addresses, ttl: 60 })
    const { connection, tried } = await dialed(it.dial, { hostname, port: target.port })
    const fates = new Map(tried.map(({ address, fate }) => [address, fate]))
    expect(fates.get('127.0.0.1')).toBe('connected')
    expect(fates.get('169.254.169.254') ?? 'forbidden').toBe('forbidden')
    connection?.socket.destroy()
  })

  test.each([
    ['a name that leads to a metadata service', '169.254.169.254', {}],
    ['a name that leads there by IPv6', '::ffff:169.254.169.254', {}],
    ['a denied net', '127.0.0.1', { deny: '127.0.0.0/8' }],
    ['what is not allowed', '127.0.0.1', { allow: '10.0.0.0/8,other.test' }],
  ])('is not reached: %s', async (_what, address, texts) => {
    await using target = await startTcpTarget(() => {})
    await using it = await named({ addresses: [address], ttl: 60 }, { egress: policy(texts) })
    const { error, tried, phases } = await dialed(it.dial, { hostname, port: target.port, family: null })
    expect(tried).toEqual([{ address, fate: 'forbidden', code: null, tookUs: 0 }])
    expect(failureOf(error, phases.at(-1) ?? null)).toEqual({
      class: 'egress-forbidden',
      code: 'EGRESS_FORBIDDEN',
      message: `The egress policy of the agent does not allow ${address}`,
      phase: 'connect',
    })
  })

  test.each(['169.254.169.254', '::ffff:169.254.169.254', 'fd00:ec2::254', '100.100.100.200'])(
    'is not reached as an address: %s',
    async (address) => {
      const { error, tried } = await dialed(dialer(), { hostname: address, port: 80 })
      expect(error).toMatchObject({ code: 'EGRESS_FORBIDDEN', address })
      expect(tried).toMatchObject([{ address, fate: 'forbidden' }])
    },
  )

  test.each([
    ['metadata.google.internal', {}],
    ['Target.test.', { deny: '*.test' }],
  ])('is not even looked up: %s', async (name, texts) => {
    await using it = await named(both, { egress: policy(texts) })
    const { error, phases } = await dialed(it.dial, { hostname: name, port: 80 })
    expect(failureOf(error, null)).toMatchObject({
      class: 'egress-forbidden',
      message: 'The egress policy of the agent does not allow the address',
    })
    expect([...phases, ...it.dns.asked]).toEqual([])
  })

  test.each([
    ['its address', { allow: '127.0.0.0/8' }],
    ['its name', { allow: '*.test' }],
  ])('does not contain what is allowed by %s', async (_how, texts) => {
    await using target = await startTcpTarget(() => {})
    await using it = await named(both, { egress: policy(texts) })
    const { connection } = await dialed(it.dial, { hostname, port: target.port })
    expect(connection).not.toBeNull()
    connection?.socket.destroy()
  })
})
