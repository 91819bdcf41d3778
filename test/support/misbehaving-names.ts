import { createEgressPolicy } from '../../src/rules/egress/egress-policy.ts'
import { noEgressRules, parseEgressRules } from '../../src/rules/egress/egress-rules.ts'
import type { RunnerOptions } from '../../src/runner/run-check.ts'
import { startDnsTarget } from './dns-target.ts'
import type { Misbehaviour } from './fault-rows.ts'
import { freePort } from './free-port.ts'

/** What goes wrong with a host before anything is sent to it. */
export interface HostProbe {
  readonly hostname: string
  readonly ipFamily?: 'IPv4' | 'IPv6'
  readonly options: Partial<RunnerOptions>
}

/** The policy that an operator writes like this. */
export function denying(text: string): Pick<RunnerOptions, 'egress'> {
  const read = parseEgressRules(text)
  if (!('rules' in read)) throw new Error(read.fault)
  return { egress: createEgressPolicy({ allow: noEgressRules, deny: read.rules }) }
}

/** A name whose name server answers it like this. */
export const named =
  (answer: Parameters<typeof startDnsTarget>[0][string], options: Partial<RunnerOptions> = {}) =>
  async (opened: AsyncDisposableStack): Promise<HostProbe> => {
    const { nameServer } = opened.use(await startDnsTarget({ 'target.test': answer }))
    return { hostname: 'target.test', options: { nameServers: [nameServer], ...options } }
  }

/** What every check does that looks a name up. */
export const nameRows: readonly Misbehaviour<HostProbe>[] = [
  {
    failure: 'dns-nxdomain',
    phase: 'dns',
    what: 'the name does not exist',
    says: 'The host name does not exist',
    start: named('NXDOMAIN'),
  },
  {
    failure: 'dns-servfail',
    phase: 'dns',
    what: 'the name server fails',
    says: 'The name server failed to answer for the host name',
    start: named('SERVFAIL'),
  },
  {
    failure: 'dns-no-address',
    phase: 'dns',
    what: 'the name has no address of the IP family asked for',
    says: 'The host name has no address of the IP family asked for',
    start: async (opened) => ({
      ...(await named({ addresses: ['127.0.0.1'], ttl: 1 })(opened)),
      ipFamily: 'IPv6',
    }),
  },
  {
    failure: 'dns-timeout',
    phase: 'dns',
    what: 'the name server is silent',
    says: 'The name servers did not answer in time',
    start: named('silence', { attemptMs: 400 }),
  },
  {
    failure: 'dns-failed',
    phase: 'dns',
    what: 'nobody listens where the name server should be',
    says: 'The host name could not be looked up',
    start: async () => ({
      hostname: 'target.test',
      options: { nameServers: [`127.0.0.1:${await freePort()}`] },
    }),
  },
]
