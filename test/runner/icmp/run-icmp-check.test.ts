import { expect, test } from 'vitest'
import { createEgressPolicy } from '../../../src/rules/egress/egress-policy.ts'
import { noEgressRules, parseEgressRules } from '../../../src/rules/egress/egress-rules.ts'
import type { Resolve } from '../../../src/runner/dial/resolve.ts'
import { icmpAbility } from '../../../src/runner/icmp/icmp-ability.ts'
import { closedAgain, openNow } from '../../support/open-now.ts'
import { pingOnce } from '../../support/ping-once.ts'

const { way } = icmpAbility()
/** As whatever this machine permits; what the ways have in common. */
const permitted = test.skipIf(way === 'none')

const silence: Resolve = () => {}
const named =
  (...addresses: string[]): Resolve =>
  (_, done) =>
    done(null, addresses)
const failing =
  (code: string): Resolve =>
  (_, done) =>
    done(Object.assign(new Error('not found'), { code }), [])

permitted.each([
  ['IPv4', '127.0.0.1', '127.0.0.1'],
  ['IPv6', '::1', '::1'],
  ['IPv6', '[::1]', '::1'],
  ['IPv4', 'localhost', '127.0.0.1'],
  ['IPv6', 'localhost', '::1'],
] as const)(`pings over %s the host %s (by ${way})`, async (ipFamily, hostname, resolvedIp) => {
  const answers = { 4: ['127.0.0.1'], 6: ['::1'] } as const
  const resolve: Resolve = ({ family }, done) => done(null, answers[family])
  const seen = await pingOnce({ hostname, ipFamily, pingCount: 2 }, { resolve })
  expect(seen).toMatchObject({
    kind: 'observed',
    observation: {
      resolvedIp,
      ipFamily,
      pingCount: 2,
      packetsSent: 2,
      packetsReceived: 2,
      packetSize: 64,
      packetLoss: 0,
      pingResults: [
        { sequence: 1, success: true, ttl: 64 },
        { sequence: 2, success: true, ttl: 64 },
      ],
      refusals: [],
      addresses: [{ address: resolvedIp, fate: 'connected', code: null }],
    },
  })
})

permitted('the figures of the latency are those of the replies', async () => {
  const seen = await pingOnce({ pingCount: 3 })
  if (seen.kind !== 'observed') throw new Error(seen.cause.message)
  const { latency, pingResults } = seen.observation
  const times = pingResults.map(({ rtt }) => rtt ?? Number.NaN)
  expect(latency.min).toBe(Math.min(...times))
  expect(latency.max).toBe(Math.max(...times))
  expect(latency.avg).toBeCloseTo(times.reduce((sum, time) => sum + time, 0) / 3, 2)
  expect(latency.max).toBeLessThan(50)
})

permitted('sends one request every 500 ms, and ends with the last reply', async () => {
  const seen = await pingOnce({ pingCount: 3 })
  expect(seen.timings.totalUs).toBeGreaterThan(990_000)
  expect(seen.timings.totalUs).toBeLessThan(1_500_000)
  expect(seen.timings.phasesUs).toMatchObject({ dns: null, firstByte: seen.timings.totalUs })
})

permitted('a busy agent measures the network, and not itself', async () => {
  const pinging = pingOnce({ pingCount: 3 })
  const busy = setInterval(() => {
    const untilMs = performance.now() + 200
    while (performance.now() < untilMs);
  }, 1)
  const seen = await pinging.finally(() => clearInterval(busy))
  if (seen.kind !== 'observed') throw new Error(seen.cause.message)
  expect(seen.observation.packetLoss).toBe(0)
  expect(seen.observation.latency.max).toBeLessThan(50)
})

permitted('pings the first address that the egress policy allows, and no other', async () => {
  const seen = await pingOnce({ hostname: 'a.test' }, { resolve: named('169.254.169.254', '127.0.0.1') })
  expect(seen).toMatchObject({
    kind: 'observed',
    observation: {
      hostname: 'a.test',
      resolvedIp: '127.0.0.1',
      addresses: [
        { address: '169.254.169.254', fate: 'forbidden' },
        { address: '127.0.0.1', fate: 'connected' },
      ],
    },
  })
})

permitted('a name in other letters is looked up and judged as it stands in the DNS', async () => {
  const asked: string[] = []
  const resolve: Resolve = ({ hostname }, done) => {
    asked.push(hostname)
    done(null, ['127.0.0.1'])
  }
  expect(await pingOnce({ hostname: ' Bücher.test ', pingCount: 1 }, { resolve })).toMatchObject({
    kind: 'observed',
    observation: { hostname: 'xn--bcher-kva.test' },
  })
  expect(await pingOnce({ hostname: 'ｍetadata.google。internal' }, { resolve })).toMatchObject({
    cause: { class: 'egress-forbidden' },
  })
  expect(asked).toEqual(['xn--bcher-kva.test'])
})

permitted.each([
  ['169.254.169.254', '169.254.169.254'],
  ['a.test', '10.0.0.7'],
])('an address that the egress policy refuses is not pinged: %s', async (hostname, address) => {
  const denied = parseEgressRules('10.0.0.0/8')
  if (!('rules' in denied)) throw new Error(denied.fault)
  const egress = createEgressPolicy({ allow: noEgressRules, deny: denied.rules })
  const seen = await pingOnce({ hostname }, { resolve: named(address), egress })
  expect(seen).toMatchObject({
    kind: 'unreachable',
    cause: { class: 'egress-forbidden' },
    evidence: { resolvedIp: null, packetsSent: 0, packetLoss: null, latency: null, pingResults: [] },
  })
})

permitted('the host may be a template, and has to be a name or an address once it is filled in', async () => {
  const variables = (value: string) => [{ key: 'HOST', value, secret: false, locked: false }]
  const filled = (value: string) => pingOnce({ hostname: '{{HOST}}' }, { variables: variables(value) })
  expect(await filled('127.0.0.1')).toMatchObject({
    kind: 'observed',
    observation: { hostname: '127.0.0.1' },
  })
  expect(await filled('127.0.0.1 -f')).toMatchObject({ cause: { class: 'invalid-request' } })
  expect(await pingOnce({ hostname: '{{NONE}}' })).toMatchObject({ cause: { class: 'variable-missing' } })
})

permitted.each([
  ['ENOTFOUND', 'dns-nxdomain'],
  ['ENODATA', 'dns-no-address'],
  ['ESERVFAIL', 'dns-servfail'],
])('a name that is not found (%s) is %s', async (code, failureClass) => {
  const seen = await pingOnce({ hostname: 'a.test' }, { resolve: failing(code) })
  expect(seen).toMatchObject({ kind: 'unreachable', cause: { class: failureClass, code, phase: 'dns' } })
})

permitted(
  'a name that nobody answers for ends with the attempt, as a time-out of the name servers',
  async () => {
    const seen = await pingOnce({ hostname: 'a.test' }, { resolve: silence, attemptMs: 100 })
    expect(seen).toMatchObject({
      kind: 'timed-out',
      during: 'dns',
      cause: { class: 'dns-timeout' },
      evidence: { hostname: 'a.test', resolvedIp: null },
    })
  },
)

permitted('the cap of an attempt ends a ping, and what was seen by then counts', async () => {
  const seen = await pingOnce({ pingCount: 50 }, { attemptMs: 800 })
  expect(seen).toMatchObject({
    kind: 'observed',
    observation: { pingCount: 50, packetsSent: 2, packetsReceived: 2, packetLoss: 0 },
  })
})

permitted(
  'stopped while it pings or looks a name up, it says nothing of the target and leaves nothing open',
  async () => {
    const before = openNow()
    const stopping = new AbortController()
    const { signal } = stopping
    const attempts = [
      pingOnce({ pingCount: 50 }, { signal }),
      pingOnce({ hostname: 'a.test' }, { signal, resolve: silence }),
    ]
    const reason = new Error('stopped')
    stopping.abort(reason)
    for (const attempt of attempts) await expect(attempt).rejects.toBe(reason)
    await closedAgain(before)
  },
)

permitted('a hundred checks at once get their own replies, and leave nothing open', async () => {
  const before = openNow()
  const seen = await Promise.all(Array.from({ length: 100 }, () => pingOnce({ pingCount: 2 })))
  for (const { kind } of seen) expect(kind).toBe('observed')
  const received = seen.flatMap((one) => (one.kind === 'observed' ? [one.observation.packetsReceived] : []))
  expect(received).toEqual(Array.from({ length: 100 }, () => 2))
  await closedAgain(before)
})
