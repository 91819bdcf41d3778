import { describe, expect, test } from 'vitest'
import {
  hasNamespaces,
  hasRouter,
  type NamespaceOptions,
  pingInNamespace,
} from '../../support/network-namespace.ts'

const nobody = { unprivileged: true } as const
const permitted = { ...nobody, mayOpenPingSockets: true } as const
const sockets = [
  ['ping-socket', permitted],
  ['raw-socket', {}],
] as const
const ways = [...sockets, ['ping-program', nobody]] as const
const loopback = [
  { hostname: '127.0.0.1', pingCount: 2 },
  { hostname: '::1', ipFamily: 'IPv6', pingCount: 2 },
] as const

describe.skipIf(!hasNamespaces)(
  'by what is permitted (skipped where no network namespace can be made)',
  () => {
    test.each(ways)('the first way that is permitted is taken: %s', async (way, options) => {
      const { way: used, told } = await pingInNamespace(loopback, options)
      expect(used).toBe(way)
      const both = { packetsSent: 2, packetsReceived: 2, pingResults: [{ ttl: 64 }, { ttl: 64 }] }
      expect(told).toMatchObject([
        { kind: 'observed', observation: both },
        { kind: 'observed', observation: both },
      ])
    })

    test('where nothing is permitted, the fault is ours and said so', async () => {
      const { way, told } = await pingInNamespace(loopback, { ...nobody, noNewRights: true })
      const errored = { kind: 'errored', code: 'ICMP_NOT_PERMITTED' }
      expect({ way, told }).toEqual({ way: 'none', told: [errored, errored] })
    })

    test.each(sockets)(
      "an address without a route is unreachable, by the system's own word: %s",
      async (_, options) => {
        const { told } = await pingInNamespace(
          [{ hostname: '192.0.2.1' }, { hostname: '2001:db8::1', ipFamily: 'IPv6' }],
          options,
        )
        for (const seen of told) {
          expect(seen).toMatchObject({
            kind: 'unreachable',
            cause: { class: 'unreachable', code: 'ENETUNREACH' },
            evidence: { packetsSent: 0, addresses: [{ fate: 'failed', code: 'ENETUNREACH' }] },
          })
        }
      },
    )
  },
)

describe.skipIf(!hasRouter)('over a network (skipped where no TUN device can be made)', () => {
  /** What is seen of hosts of tun-router.ts, of each over both families. */
  async function pingHosts(hosts: readonly number[], pingCount: number, options: NamespaceOptions) {
    const requests = hosts.flatMap((host) => [
      { hostname: `10.9.0.${host}`, pingCount },
      { hostname: `fd09::${host.toString(16)}`, ipFamily: 'IPv6' as const, pingCount },
    ])
    const { told } = await pingInNamespace(requests, { ...options, routed: true })
    expect(told).toHaveLength(2 * hosts.length)
    return told
  }

  test.each(ways)('times and hops are those of the network: %s', async (_, options) => {
    for (const told of await pingHosts([2], 3, options)) {
      if (told.kind !== 'observed') throw new Error(JSON.stringify(told))
      const { latency, pingResults, packetLoss } = told.observation
      expect(packetLoss).toBe(0)
      expect(latency.min).toBeGreaterThanOrEqual(39)
      expect(latency.min).toBeLessThan(80)
      expect(pingResults.map(({ ttl }) => ttl)).toEqual([57, 57, 57])
    }
  })

  test.each(ways)('what is lost is counted, and nothing else: %s', async (_, options) => {
    for (const told of await pingHosts([3], 4, options)) {
      expect(told).toMatchObject({
        kind: 'observed',
        observation: {
          packetsSent: 4,
          packetsReceived: 3,
          packetLoss: 25,
          pingResults: [
            { sequence: 1, success: true },
            { sequence: 2, success: true },
            { sequence: 3, success: false, rtt: null, ttl: null },
            { sequence: 4, success: true },
          ],
        },
      })
    }
  })

  const lost = {
    kind: 'timed-out',
    cause: { class: 'first-byte-timeout' },
    evidence: {
      packetsSent: 1,
      packetsReceived: 0,
      packetLoss: 100,
      latency: null,
      pingResults: [{ success: false, rtt: null, ttl: null }],
      addresses: [{ fate: 'abandoned' }],
    },
  }

  test.each(ways)('a host that answers nothing, or after 2 s, is out of time: %s', async (_, options) => {
    for (const told of await pingHosts([4, 10], 1, options)) expect(told).toMatchObject(lost)
  })

  test.each(sockets)(
    'no answer is: one by another address, what was not sent, half of it: %s',
    async (_, options) => {
      for (const told of await pingHosts([6, 9, 11], 1, options)) expect(told).toMatchObject(lost)
    },
  )

  test.each(sockets)(
    'a reply that comes after 2 s is none, though the ping goes on: %s',
    async (_, options) => {
      for (const told of await pingHosts([10], 6, options)) {
        expect(told).toMatchObject({ kind: 'timed-out', evidence: { packetsSent: 6, packetLoss: 100 } })
      }
    },
  )

  test.each(sockets)('a reply that comes twice counts once: %s', async (_, options) => {
    for (const told of await pingHosts([5], 2, options)) {
      if (told.kind !== 'observed') throw new Error(JSON.stringify(told))
      expect(told.observation).toMatchObject({ packetsSent: 2, packetsReceived: 2, packetLoss: 0 })
      expect(told.observation.pingResults[0]?.rtt).toBeLessThan(300)
    }
  })

  test.each(sockets)('replies out of order belong to their own requests: %s', async (_, options) => {
    for (const told of await pingHosts([12], 2, options)) {
      if (told.kind !== 'observed') throw new Error(JSON.stringify(told))
      const [first, second] = told.observation.pingResults
      expect(first?.rtt).toBeGreaterThanOrEqual(699)
      expect(second?.rtt).toBeLessThan(300)
    }
  })

  test.each(sockets)('a router that refuses requests is named with what it says: %s', async (_, options) => {
    const refusedBy = (code: string, from: string) => ({
      kind: 'unreachable',
      cause: { class: 'unreachable', code, message: `There is no way to the target, says ${from}` },
      evidence: { packetsSent: 2, packetLoss: 100, refusals: [{ code, from, count: 2 }] },
    })
    expect(await pingHosts([7, 8], 2, options)).toMatchObject([
      refusedBy('EHOSTUNREACH', '10.9.0.254'),
      refusedBy('EHOSTUNREACH', 'fd09::fe'),
      refusedBy('TTL_EXCEEDED', '10.9.0.254'),
      refusedBy('TTL_EXCEEDED', 'fd09::fe'),
    ])
  })

  test.each(sockets)(
    'a request that a router refused is lost, and those after it are sent: %s',
    async (_, options) => {
      for (const told of await pingHosts([13], 4, options)) {
        expect(told).toMatchObject({
          kind: 'observed',
          observation: { packetsSent: 4, packetsReceived: 2, packetLoss: 50, refusals: [{ count: 1 }] },
        })
      }
    },
  )
})
