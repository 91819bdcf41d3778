import { describe, expect, test } from 'vitest'
import type { DnsRequest } from '../../../src/contract/checks/dns/request.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { createRunCheck, type RunnerOptions } from '../../../src/runner/run-check.ts'
import { startBlackHole } from '../../support/black-hole.ts'
import { at } from '../../support/dns-attempt.ts'
import { dnsDefinition } from '../../support/dns-definition.ts'
import { type DnsLies, startDnsLiar } from '../../support/dns-liar.ts'
import { framed, replyTo } from '../../support/dns-messages.ts'
import {
  asDocumented,
  causeOf,
  documentedRows,
  expectFailing,
  type Misbehaviour,
} from '../../support/fault-rows.ts'
import { freePort } from '../../support/free-port.ts'
import { one } from '../../support/honest-dns.ts'
import { denying, type HostProbe, named, nameRows } from '../../support/misbehaving-names.ts'

interface Probe {
  readonly request: Partial<DnsRequest>
  readonly options?: Partial<RunnerOptions>
}

/** Before a datagram is sent again. */
const shortly = { attemptMs: 300 }

/** The name server of the check, by its name. */
const ofServer =
  (start: Misbehaviour<HostProbe>['start']) =>
  async (opened: AsyncDisposableStack): Promise<Probe> => {
    const { hostname: nameServer, options } = await start(opened)
    return { request: { nameServer, port: 53 }, options }
  }

const liar =
  (lies: DnsLies, request: Partial<DnsRequest> = {}) =>
  async (opened: AsyncDisposableStack): Promise<Probe> => ({
    request: { ...at(opened.use(await startDnsLiar(lies))), ...request },
    options: shortly,
  })

const overTcp = (tcp: NonNullable<DnsLies['tcp']>) => liar({ tcp }, { protocol: 'TCP' })

/** The agent's own resolver, which a check without a name server asks. */
const ownResolver =
  (port: () => Promise<number>, protocol: DnsRequest['protocol']) => async (): Promise<Probe> => ({
    request: { protocol },
    options: { ...shortly, nameServers: [`127.0.0.1:${await port()}`] },
  })

const half = (question: Buffer) => framed(replyTo(question, { answers: [one] })).subarray(0, 30)

/** No IP family is asked for: a name server stands for its addresses of either. */
const serverNameRows = nameRows
  .filter(({ failure }) => failure !== 'dns-no-address')
  .map((row) => ({ ...row, what: `looking up the name server: ${row.what}`, start: ofServer(row.start) }))

const rows: readonly Misbehaviour<Probe>[] = [
  {
    failure: 'variable-missing',
    phase: null,
    what: 'the query names a variable that nobody defined',
    says: 'The request names the variable ZONE, which is not defined',
    start: () => ({ request: { query: '{{ZONE}}.test' } }),
  },
  {
    failure: 'template-invalid',
    phase: null,
    what: 'a template of the query cannot be read, or grows too large',
    says: '"request.query" is not a valid template: a block that is not closed begins in line 1',
    start: () => ({ request: { query: '{{#if A}}' } }),
  },
  {
    failure: 'invalid-request',
    phase: null,
    what: 'the query is no name',
    says: 'The query is not a name that could be asked for',
    start: () => ({ request: { query: 'a..test' } }),
  },
  {
    failure: 'invalid-request',
    phase: null,
    what: 'the name server is neither a name nor an address',
    says: 'The name server is neither an address nor a host name',
    start: () => ({ request: { nameServer: 'a b', port: 53 } }),
  },
  ...serverNameRows,
  {
    failure: 'dns-no-address',
    phase: 'dns',
    what: 'looking up the name server: the name has no address',
    says: 'The host name has no address of the IP family asked for',
    start: ofServer(named({ addresses: [], ttl: 1 })),
  },
  {
    failure: 'egress-forbidden',
    phase: null,
    what: 'the address of the name server is one that no check may reach',
    says: 'The egress policy of the agent does not allow 169.254.169.254',
    start: () => ({ request: { nameServer: '169.254.169.254', port: 53 } }),
  },
  {
    failure: 'egress-forbidden',
    phase: null,
    what: 'its name is one that no check may ask for',
    says: 'The egress policy of the agent does not allow the address',
    start: () => ({ request: { nameServer: 'ns.internal', port: 53 }, options: denying('*.internal') }),
  },
  {
    failure: 'egress-forbidden',
    phase: 'dns',
    what: 'its name leads only to such addresses',
    says: 'The egress policy of the agent does not allow 169.254.169.254',
    start: ofServer(named({ addresses: ['169.254.169.254'], ttl: 1 })),
  },
  {
    failure: 'refused',
    phase: 'firstByte',
    what: 'nobody listens there, over UDP',
    says: 'The target refused the connection',
    start: async () => ({ request: at({ port: await freePort() }) }),
  },
  {
    failure: 'refused',
    phase: 'connect',
    what: 'nobody listens there, over TCP',
    says: 'The target refused the connection',
    start: async () => ({ request: { ...at({ port: await freePort() }), protocol: 'TCP' } }),
  },
  {
    failure: 'unreachable',
    phase: 'firstByte',
    what: 'there is no way to it, over UDP',
    says: 'There is no way to the target',
    start: () => ({ request: { nameServer: '255.255.255.255', port: 53 } }),
  },
  {
    failure: 'unreachable',
    phase: 'connect',
    what: 'there is no way to it, over TCP',
    says: 'There is no way to the target',
    start: () => ({ request: { nameServer: '255.255.255.255', port: 53, protocol: 'TCP' } }),
  },
  {
    failure: 'connect-timeout',
    phase: 'connect',
    what: 'it takes no connection and refuses none',
    says: 'The target did not accept the connection in time',
    start: async (opened) => ({
      request: { ...at(opened.use(await startBlackHole())), protocol: 'TCP' },
      options: shortly,
    }),
  },
  {
    failure: 'first-byte-timeout',
    phase: 'firstByte',
    what: 'it is silent',
    says: 'The target did not begin to answer in time',
    start: liar({}),
  },
  {
    failure: 'first-byte-timeout',
    phase: 'firstByte',
    what: 'nothing that comes over UDP fits the question: the message counts it',
    says: 'The target did not begin to answer in time; one answer did not fit the question',
    start: liar({ udp: (question, reply) => reply(replyTo(question, { name: 'b.test' })) }),
  },
  {
    failure: 'reset',
    phase: 'firstByte',
    what: 'it resets the connection before an answer',
    says: 'The target broke off the connection',
    start: overTcp((_question, socket) => socket.resetAndDestroy()),
  },
  {
    failure: 'reset',
    phase: 'download',
    what: 'it resets the connection in the middle of its answer',
    says: 'The target broke off the connection',
    start: overTcp((question, socket) => {
      socket.write(half(question))
      // A reset takes with it what was not read yet.
      setTimeout(() => socket.resetAndDestroy(), 100)
    }),
  },
  {
    failure: 'closed',
    phase: 'firstByte',
    what: 'it closes the connection before an answer',
    says: 'The name server closed the connection without an answer',
    start: overTcp((_question, socket) => socket.end()),
  },
  {
    failure: 'truncated',
    phase: 'download',
    what: 'the connection ends before the answer does',
    says: 'The answer of the name server ended before it was complete',
    start: overTcp((question, socket) => socket.end(half(question))),
  },
  {
    failure: 'body-timeout',
    phase: 'download',
    what: 'its answer stalls',
    says: 'The target did not end its answer in time',
    start: overTcp((question, socket) => socket.write(half(question))),
  },
  {
    failure: 'dns-failed',
    phase: 'firstByte',
    what: 'its answer over UDP cannot be read',
    says: 'The answer of the name server cannot be read: it ends in the middle of a record',
    start: liar({ udp: (question, reply) => reply(replyTo(question, { answers: [one] }).subarray(0, -2)) }),
  },
  {
    failure: 'dns-failed',
    phase: 'download',
    what: 'its answer over TCP cannot be read, or is to another question',
    says: 'The answer of the name server cannot be read: it does not answer the question',
    start: overTcp((question, socket) => socket.write(framed(replyTo(question, { name: 'b.test' })))),
  },
  {
    failure: 'dns-timeout',
    phase: 'firstByte',
    what: "the agent's own resolvers are silent",
    says: 'The name servers did not answer in time',
    start: async (opened) => {
      const { port } = opened.use(await startDnsLiar({}))
      return ownResolver(() => Promise.resolve(port), 'UDP')()
    },
  },
  {
    failure: 'dns-timeout',
    phase: 'connect',
    what: "the agent's own resolvers take no connection and refuse none",
    says: 'The name servers did not answer in time',
    start: async (opened) => {
      const { port } = opened.use(await startBlackHole())
      return ownResolver(() => Promise.resolve(port), 'TCP')()
    },
  },
  {
    failure: 'dns-failed',
    phase: 'firstByte',
    what: "the agent's own resolvers do not listen, over UDP",
    says: 'The host name could not be looked up',
    start: ownResolver(freePort, 'UDP'),
  },
  {
    failure: 'dns-failed',
    phase: 'connect',
    what: "the agent's own resolvers do not listen, over TCP",
    says: 'The host name could not be looked up',
    start: ownResolver(freePort, 'TCP'),
  },
  {
    failure: 'dns-failed',
    phase: null,
    what: 'the agent has no resolver',
    says: 'The agent has no resolver that could be asked',
    start: () => ({ request: {}, options: { nameServers: [] } }),
  },
]

describe('a name server of a DNS check that misbehaves', () => {
  test.each(rows)('$what: $failure', async (row) => {
    await using opened = new AsyncDisposableStack()
    const { request, options } = await row.start(opened)
    const definition = dnsDefinition(request)
    const run = createRunCheck({ clock: systemClock, useOsDnsResolver: false, version: '1', ...options })
    const outcome = await run(definition, new AbortController().signal)
    expectFailing(definition, outcome, row)
    expect(causeOf(outcome).message).toBe(row.says)
  })
})

test('docs/failures.md has every way in which a DNS check fails, and no other', () => {
  expect(documentedRows('DNS checks')).toEqual(rows.map(asDocumented))
})
