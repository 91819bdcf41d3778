import { describe, expect, test } from 'vitest'
import { systemClock } from '../../../src/lib/clock.ts'
import { createEgressPolicy } from '../../../src/rules/egress/egress-policy.ts'
import { noEgressRules, parseEgressRules } from '../../../src/rules/egress/egress-rules.ts'
import { createResolver } from '../../../src/runner/dial/resolve.ts'
import { answered, unanswered } from '../../support/dns-attempt.ts'
import { startDnsLiar } from '../../support/dns-liar.ts'
import { framed, replyTo } from '../../support/dns-messages.ts'
import { startDnsTarget } from '../../support/dns-target.ts'
import { freePort } from '../../support/free-port.ts'
import { honest } from '../../support/honest-dns.ts'

/** Before a datagram is sent again. */
const shortly = { attemptMs: 300 }

describe('a name server by its name', () => {
  const resolveWith = (nameServer: string) =>
    createResolver({ clock: systemClock, nameServers: [nameServer], hostsFile: '/nowhere' })

  test('is looked up first, and that is measured', async () => {
    await using book = await startDnsTarget({ 'ns.test': { addresses: ['127.0.0.1'], ttl: 0, delayMs: 30 } })
    await using liar = await startDnsLiar(honest)
    const resolveName = resolveWith(book.nameServer)
    const { observation, timings } = await answered(
      { nameServer: 'ns.test.', port: liar.port },
      { resolveName },
    )
    expect(observation.response.server).toBe(liar.nameServer)
    expect(timings.phasesUs.dns).toBeGreaterThan(20_000)
  })

  test('stands for its addresses of IPv6 where it has no others', async () => {
    await using book = await startDnsTarget({ 'ns.test': { addresses: ['::1'], ttl: 0 } })
    const resolveName = resolveWith(book.nameServer)
    const port = await freePort()
    const { evidence } = await unanswered({ nameServer: 'ns.test', port }, { resolveName })
    expect(evidence.addresses.map(({ address }) => address)).toEqual(['::1'])
  })

  test('has all of its addresses asked when the first is silent', async () => {
    await using book = await startDnsTarget({ 'ns.test': { addresses: ['127.0.0.2', '127.0.0.1'], ttl: 0 } })
    await using liar = await startDnsLiar(honest)
    const resolveName = resolveWith(book.nameServer)
    const { observation } = await answered({ nameServer: 'ns.test', port: liar.port }, { resolveName })
    expect(observation.addresses.map(({ address, fate }) => [address, fate])).toEqual([
      ['127.0.0.2', 'failed'],
      ['127.0.0.1', 'connected'],
    ])
  })

  test.each([
    ['NXDOMAIN', 'dns-nxdomain'],
    ['SERVFAIL', 'dns-servfail'],
    [{ addresses: [], ttl: 0 }, 'dns-no-address'],
  ] as const)('that is %j fails as %s', async (said, failureClass) => {
    await using book = await startDnsTarget({ 'ns.test': said })
    const resolveName = resolveWith(book.nameServer)
    expect(await unanswered({ nameServer: 'ns.test', port: 53 }, { resolveName })).toMatchObject({
      kind: 'unreachable',
      cause: { class: failureClass, phase: 'dns' },
      evidence: { sent: 0 },
    })
  })

  test('that is none is said to be so', async () => {
    expect(await unanswered({ nameServer: 'a b', port: 53 })).toMatchObject({
      cause: { class: 'invalid-request', message: 'The name server is neither an address nor a host name' },
    })
  })
})

describe('the egress policy', () => {
  const denying = (text: string) => {
    const read = parseEgressRules(text)
    if (!('rules' in read)) throw new Error(read.fault)
    return createEgressPolicy({ allow: noEgressRules, deny: read.rules })
  }

  test.each(['UDP', 'TCP'] as const)('refuses metadata addresses over %s', async (protocol) => {
    expect(await unanswered({ protocol, nameServer: '169.254.169.254', port: 53 })).toMatchObject({
      kind: 'unreachable',
      cause: {
        class: 'egress-forbidden',
        message: 'The egress policy of the agent does not allow 169.254.169.254',
      },
      evidence: { sent: 0, addresses: [{ address: '169.254.169.254', fate: 'forbidden' }] },
    })
  })

  test('judges the address that a name leads to, and asks the others', async () => {
    await using book = await startDnsTarget({ 'ns.test': { addresses: ['127.0.0.2', '127.0.0.1'], ttl: 0 } })
    await using liar = await startDnsLiar(honest)
    const resolveName = createResolver({
      clock: systemClock,
      nameServers: [book.nameServer],
      hostsFile: '/nowhere',
    })
    const egress = denying('127.0.0.2')
    const request = { nameServer: 'ns.test', port: liar.port }
    const { observation } = await answered(request, { resolveName, egress })
    expect(observation.addresses.map(({ fate }) => fate)).toEqual(['forbidden', 'connected'])
  })

  test('judges the name', async () => {
    const egress = denying('*.internal')
    expect(await unanswered({ nameServer: 'ns.internal', port: 53 }, { egress })).toMatchObject({
      cause: { class: 'egress-forbidden', phase: null },
      evidence: { addresses: [] },
    })
  })

  test("does not judge the agent's own resolvers", async () => {
    await using liar = await startDnsLiar(honest)
    const egress = denying('127.0.0.0/8')
    const { observation } = await answered({}, { egress, nameServers: [liar.nameServer] })
    expect(observation.response.server).toBe(liar.nameServer)
  })
})

describe("the agent's own resolvers", () => {
  test('are asked in their order when no name server is named', async () => {
    await using first = await startDnsLiar(honest)
    await using second = await startDnsLiar(honest)
    const nameServers = [first.nameServer, second.nameServer]
    const { observation } = await answered({}, { nameServers })
    expect(observation).toMatchObject({ nameServer: null, response: { server: first.nameServer } })
    expect(second.overUdp).toEqual([])
  })

  test.each(['UDP', 'TCP'] as const)('stand in for one that declines over %s', async (protocol) => {
    await using first = await startDnsLiar({
      udp: (question, reply) => reply(replyTo(question, { code: 2 })),
      tcp: (question, socket) => socket.end(framed(replyTo(question, { code: 2 }))),
    })
    await using second = await startDnsLiar(honest)
    const nameServers = [first.nameServer, second.nameServer]
    const { observation } = await answered({ protocol }, { nameServers })
    expect(observation.response).toMatchObject({ server: second.nameServer, json: { Status: 'NOERROR' } })
  })

  test.each(['UDP', 'TCP'] as const)('stand in for one that is not there over %s', async (protocol) => {
    await using second = await startDnsLiar(honest)
    const nameServers = [`127.0.0.1:${await freePort()}`, second.nameServer]
    const { observation } = await answered({ protocol }, { nameServers })
    expect(observation.response.server).toBe(second.nameServer)
  })

  test('stand in for one that is silent', async () => {
    await using first = await startDnsLiar({})
    await using second = await startDnsLiar(honest)
    const { observation } = await answered({}, { nameServers: [first.nameServer, second.nameServer] })
    expect(observation.addresses.map(({ fate }) => fate)).toEqual(['connected', 'abandoned'])
  })

  test('that decline, and have nobody to stand in, are an answer', async () => {
    await using first = await startDnsLiar({
      udp: (question, reply) => reply(replyTo(question, { code: 2 })),
    })
    await using second = await startDnsLiar({})
    const nameServers = [first.nameServer, second.nameServer]
    const { observation } = await answered({}, { nameServers, ...shortly })
    expect(observation.response.json.Status).toBe('SERVFAIL')
  })

  test('that are silent may be our own fault', async () => {
    await using liar = await startDnsLiar({})
    expect(await unanswered({}, { nameServers: [liar.nameServer], ...shortly })).toMatchObject({
      kind: 'timed-out',
      during: 'firstByte',
      cause: { class: 'dns-timeout', phase: 'firstByte' },
    })
  })

  test('that refuse may be our own fault', async () => {
    const nameServers = [`127.0.0.1:${await freePort()}`]
    expect(await unanswered({}, { nameServers })).toMatchObject({
      kind: 'unreachable',
      cause: { class: 'dns-failed', code: 'ECONNREFUSED', phase: 'firstByte' },
    })
  })
})
