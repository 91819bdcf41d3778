import { describe, expect, test } from 'vitest'
import type { TcpRequest } from '../../../src/contract/checks/tcp/request.ts'
import { judge } from '../../../src/rules/judge.ts'
import { parseProxyUrl } from '../../../src/runner/dial/proxy-url.ts'
import type { RunnerOptions } from '../../../src/runner/run-check.ts'
import { startBlackHole } from '../../support/black-hole.ts'
import {
  asDocumented,
  causeOf,
  documentedRows,
  expectFailing,
  type Misbehaviour,
} from '../../support/fault-rows.ts'
import { freePort } from '../../support/free-port.ts'
import { denying, type HostProbe, named, nameRows } from '../../support/misbehaving-names.ts'
import { startProxy } from '../../support/proxy.ts'
import { attemptTcp, tcpAssertion, tcpDefinition } from '../../support/tcp-attempt.ts'
import { startTcpTarget } from '../../support/tcp-target.ts'

interface Probe {
  readonly port: number
  readonly request?: Partial<TcpRequest>
  readonly options?: Partial<RunnerOptions>
}

const shortly = { attemptMs: 400 }
const large = 'x'.repeat(16_777_216)
const wanted = { assertions: [tcpAssertion({ target: 'an answer' })] }

function through(port: number): Partial<RunnerOptions> {
  const read = parseProxyUrl(`http://127.0.0.1:${port}`)
  if (!('settings' in read)) throw new Error(read.fault)
  const { settings } = read
  return { proxy: () => settings }
}

const toHost =
  (start: Misbehaviour<HostProbe>['start']) =>
  async (opened: AsyncDisposableStack): Promise<Probe> => {
    const { options, ...request } = await start(opened)
    return { port: 9, request, options }
  }

const target =
  (
    onConnection: Parameters<typeof startTcpTarget>[0],
    request: Partial<TcpRequest>,
    options: Partial<RunnerOptions> = {},
  ) =>
  async (opened: AsyncDisposableStack): Promise<Probe> => {
    const { port } = opened.use(await startTcpTarget(onConnection))
    return { port, request, options }
  }

const rows: readonly Misbehaviour<Probe>[] = [
  {
    failure: 'variable-missing',
    phase: null,
    what: 'hostname or data names a variable that nobody defined: nothing is connected to',
    says: 'The request names the variable HOST, which is not defined',
    start: () => ({ port: 9, request: { hostname: '{{HOST}}' } }),
  },
  {
    failure: 'template-invalid',
    phase: null,
    what: 'a template of hostname or data cannot be read, or grows too large',
    says: '"request.data" is not a valid template: a block that is not closed begins in line 1',
    start: () => ({ port: 9, request: { data: '{{#if A}}' } }),
  },
  {
    failure: 'invalid-request',
    phase: null,
    what: 'the hostname is neither a name nor an address',
    says: 'The request cannot be sent as it is written',
    start: () => ({ port: 9, request: { hostname: 'tcp://target.test' } }),
  },
  ...nameRows.map((row) => ({ ...row, start: toHost(row.start) })),
  {
    failure: 'egress-forbidden',
    phase: 'connect',
    what: 'the address is one that no check may reach',
    says: 'The egress policy of the agent does not allow 169.254.169.254',
    start: () => ({ port: 80, request: { hostname: '169.254.169.254' } }),
  },
  {
    failure: 'egress-forbidden',
    phase: null,
    what: 'the name is one that no check may ask for',
    says: 'The egress policy of the agent does not allow the address',
    start: () => ({
      port: 9,
      request: { hostname: 'target.internal' },
      options: denying('*.internal'),
    }),
  },
  {
    failure: 'egress-forbidden',
    phase: 'connect',
    what: 'the name leads to such an address',
    says: 'The egress policy of the agent does not allow 169.254.169.254',
    start: toHost(named({ addresses: ['169.254.169.254'], ttl: 1 })),
  },
  {
    failure: 'proxy-refused',
    phase: 'connect',
    what: 'the proxy of the location finds no way to the target',
    says: 'The proxy did not open a way to the target',
    start: async (opened) => {
      const proxy = opened.use(await startProxy({ refuseWith: 502 }))
      return { port: 9, request: { hostname: 'target.test' }, options: through(proxy.port) }
    },
  },
  {
    failure: 'refused',
    phase: 'connect',
    what: 'nobody listens on the port',
    says: 'The target refused the connection',
    start: async () => ({ port: await freePort() }),
  },
  {
    failure: 'unreachable',
    phase: 'connect',
    what: 'there is no way to the address',
    says: 'There is no way to the target',
    start: () => ({ port: 80, request: { hostname: '255.255.255.255' } }),
  },
  {
    failure: 'connect-timeout',
    phase: 'connect',
    what: 'the address takes no connection and refuses none',
    says: 'The target did not accept the connection in time',
    start: async (opened) => ({ port: opened.use(await startBlackHole()).port, options: shortly }),
  },
  {
    failure: 'send-timeout',
    phase: 'send',
    what: 'the target does not read what is sent',
    says: 'The target did not take the request in time',
    start: target((socket) => socket.pause(), { data: large }, shortly),
  },
  {
    failure: 'reset',
    phase: 'send',
    what: 'the connection is reset while it is sent to',
    says: 'The target broke off the connection',
    start: target((socket) => socket.once('data', () => socket.resetAndDestroy()), { data: large }),
  },
  {
    failure: 'reset',
    phase: 'firstByte',
    what: 'the connection is reset before an answer that is asserted on',
    says: 'The target broke off the connection',
    start: target((socket) => socket.once('data', () => socket.resetAndDestroy()), { ...wanted, data: 'x' }),
  },
  {
    failure: 'reset',
    phase: 'download',
    what: 'the connection is reset in the middle of such an answer',
    says: 'The target broke off the connection',
    start: target((socket) => {
      socket.write('an ans')
      // A reset takes with it what was not read yet.
      setTimeout(() => socket.resetAndDestroy(), 100)
    }, wanted),
  },
  {
    failure: 'closed',
    phase: 'send',
    what: 'the target ends its side while it is sent to, without such an answer',
    says: 'The target closed the connection without an answer',
    start: target((socket) => socket.pause().end(), { ...wanted, data: large }),
  },
  {
    failure: 'closed',
    phase: 'firstByte',
    what: 'the target closes the connection without such an answer',
    says: 'The target closed the connection without an answer',
    start: target((socket) => socket.end(), wanted),
  },
  {
    failure: 'first-byte-timeout',
    phase: 'firstByte',
    what: 'the target is silent where an answer is asserted on',
    says: 'The target did not begin to answer in time',
    start: target(() => {}, wanted, shortly),
  },
]

describe('a target of a TCP check that misbehaves', () => {
  test.each(rows)('$what: $failure', async (row) => {
    await using opened = new AsyncDisposableStack()
    const { port, request, options } = await row.start(opened)
    const definition = tcpDefinition(port, request)
    const outcome = await attemptTcp(definition, options)
    expectFailing(definition, outcome, row)
    expect(causeOf(outcome).message).toBe(row.says)
  })
})

describe('the same target, of a check with shouldFail', () => {
  test.each(rows)('$what: $failure', async (row) => {
    await using opened = new AsyncDisposableStack()
    const { port, request, options } = await row.start(opened)
    const definition = tcpDefinition(port, request, { shouldFail: true })
    const outcome = await attemptTcp(definition, options)
    if (row.failure !== 'refused') return expectFailing(definition, outcome, row)
    expect(judge(definition, outcome).verdict).toMatchObject({ state: 'passing', reasons: [] })
  })

  test('is not refused by a proxy that is not there: that is our own fault, and no verdict', async () => {
    const definition = tcpDefinition(9, { hostname: 'target.test' }, { shouldFail: true })
    const attempt = attemptTcp(definition, through(await freePort()))
    await expect(attempt).rejects.toMatchObject({ code: 'PROXY_UNUSABLE' })
  })
})

test('docs/failures.md has every way in which a TCP check fails, and no other', () => {
  expect(documentedRows('TCP checks')).toEqual(rows.map(asDocumented))
})
