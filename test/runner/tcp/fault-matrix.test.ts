import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { TcpRequest } from '../../../src/contract/checks/tcp/request.ts'
import type { FailureClass } from '../../../src/contract/failure.ts'
import type { Phase } from '../../../src/contract/timings.ts'
import { judge } from '../../../src/rules/judge.ts'
import type { RunnerOptions } from '../../../src/runner/run-check.ts'
import { startBlackHole } from '../../support/black-hole.ts'
import { startDnsTarget } from '../../support/dns-target.ts'
import { freePort } from '../../support/free-port.ts'
import { attemptTcp, tcpAssertion, tcpDefinition } from '../../support/tcp-attempt.ts'
import { startTcpTarget } from '../../support/tcp-target.ts'

interface Probe {
  readonly port: number
  readonly request?: Partial<TcpRequest>
  readonly options?: Partial<RunnerOptions>
}

interface Misbehaviour {
  readonly failure: FailureClass
  readonly phase: Phase | null
  /** What the target does, as docs/failures.md has it. */
  readonly what: string
  readonly start: (opened: AsyncDisposableStack) => Promise<Probe> | Probe
}

const shortly = { attemptMs: 400 }
const wanted = { assertions: [tcpAssertion({ target: 'an answer' })] }

const named =
  (answer: Parameters<typeof startDnsTarget>[0][string], options: Partial<RunnerOptions> = {}) =>
  async (opened: AsyncDisposableStack): Promise<Probe> => {
    const { nameServer } = opened.use(await startDnsTarget({ 'target.test': answer }))
    return {
      port: 9,
      request: { hostname: 'target.test' },
      options: { nameServers: [nameServer], ...options },
    }
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

const rows: readonly Misbehaviour[] = [
  {
    failure: 'variable-missing',
    phase: null,
    what: 'the hostname names a variable that nobody defined',
    start: () => ({ port: 9, request: { hostname: '{{HOST}}' } }),
  },
  {
    failure: 'template-invalid',
    phase: null,
    what: 'a template of hostname or data cannot be read',
    start: () => ({ port: 9, request: { data: '{{#if}}' } }),
  },
  {
    failure: 'invalid-request',
    phase: null,
    what: 'the hostname is neither a name nor an address',
    start: () => ({ port: 9, request: { hostname: 'tcp://target.test' } }),
  },
  { failure: 'dns-nxdomain', phase: 'dns', what: 'the name does not exist', start: named('NXDOMAIN') },
  { failure: 'dns-servfail', phase: 'dns', what: 'the name server fails', start: named('SERVFAIL') },
  {
    failure: 'dns-no-address',
    phase: 'dns',
    what: 'the name has no address of the IP family asked for',
    start: async (opened) => {
      const probe = await named({ addresses: ['127.0.0.1'], ttl: 1 })(opened)
      return { ...probe, request: { ...probe.request, ipFamily: 'IPv6' } }
    },
  },
  {
    failure: 'dns-timeout',
    phase: 'dns',
    what: 'the name server is silent',
    start: named('silence', shortly),
  },
  {
    failure: 'egress-forbidden',
    phase: 'connect',
    what: 'the address is one that no check may reach',
    start: () => ({ port: 80, request: { hostname: '169.254.169.254' } }),
  },
  {
    failure: 'refused',
    phase: 'connect',
    what: 'nobody listens on the port',
    start: async () => ({ port: await freePort() }),
  },
  {
    failure: 'unreachable',
    phase: 'connect',
    what: 'there is no way to the address',
    start: () => ({ port: 80, request: { hostname: '255.255.255.255' } }),
  },
  {
    failure: 'connect-timeout',
    phase: 'connect',
    what: 'the address takes no connection and refuses none',
    start: async (opened) => ({ port: opened.use(await startBlackHole()).port, options: shortly }),
  },
  {
    failure: 'send-timeout',
    phase: 'send',
    what: 'the target does not read what is sent',
    start: target((socket) => socket.pause(), { data: 'x'.repeat(16_777_216) }, shortly),
  },
  {
    failure: 'reset',
    phase: 'firstByte',
    what: 'the connection is reset before an answer that is asserted on',
    start: target((socket) => socket.once('data', () => socket.resetAndDestroy()), { ...wanted, data: 'x' }),
  },
  {
    failure: 'reset',
    phase: 'download',
    what: 'the connection is reset in the middle of such an answer',
    start: target((socket) => {
      socket.write('an ans')
      // A reset takes with it what was not read yet.
      setTimeout(() => socket.resetAndDestroy(), 100)
    }, wanted),
  },
  {
    failure: 'closed',
    phase: 'firstByte',
    what: 'the target closes the connection without such an answer',
    start: target((socket) => socket.end(), wanted),
  },
  {
    failure: 'first-byte-timeout',
    phase: 'firstByte',
    what: 'the target is silent where an answer is asserted on',
    start: target(() => {}, wanted, shortly),
  },
]

describe('a target of a TCP check that misbehaves', () => {
  test.each(rows)('$what: $failure', async ({ failure, phase, start }) => {
    await using opened = new AsyncDisposableStack()
    const { port, request, options } = await start(opened)
    const definition = tcpDefinition(port, request)
    const outcome = await attemptTcp(definition, options)
    if (outcome.kind === 'observed') throw new Error(`observed ${outcome.observation.received.data}`)
    expect(outcome.cause).toMatchObject({ class: failure, phase })
    const { state, reasons } = judge(definition, outcome).verdict
    expect({ state, reasons }).toEqual({ state: 'failing', reasons: [outcome.cause.message] })
    const { phasesUs, totalUs } = outcome.timings
    expect(Object.values(phasesUs).reduce<number>((sum, us) => sum + (us ?? 0), 0)).toBe(totalUs)
  })
})

test('docs/failures.md has every way in which a TCP check fails, and no other', () => {
  const page = readFileSync(new URL('../../../docs/failures.md', import.meta.url), 'utf8')
  const [, section = ''] = /\n## TCP checks\n(.*?)(?=\n## |$(?!\n))/s.exec(page) ?? []
  const documented = [...section.matchAll(/^\| `([a-z-]+)` +\| (\S+) +\| (.+?) +\|$/gm)].map(
    ([, name, phase, what]) => `${name} ${phase} ${what}`,
  )
  expect(documented).toEqual(rows.map(({ failure, phase, what }) => `${failure} ${phase ?? '–'} ${what}`))
})
