import type { DnsRequest } from '../../src/contract/checks/dns/request.ts'
import type { Variable } from '../../src/contract/variable.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createEgressPolicy } from '../../src/rules/egress/egress-policy.ts'
import { noEgressRules } from '../../src/rules/egress/egress-rules.ts'
import { createResolver } from '../../src/runner/dial/resolve.ts'
import { createDnsCheck } from '../../src/runner/dns/run-dns-check.ts'

type Options = Partial<Parameters<typeof createDnsCheck>[0]> & {
  readonly signal?: AbortSignal
  readonly variables?: readonly Variable[]
}
type Outcome = Awaited<ReturnType<ReturnType<typeof createDnsCheck>>>
type Observed = Extract<Outcome, { kind: 'observed' }>
type Failed = Exclude<Outcome, Observed>

/** Asks for the A records of a.test unless told. */
function dnsRequest(request: Partial<DnsRequest> = {}): DnsRequest {
  return { query: 'a.test', recordType: 'A', protocol: 'UDP', assertions: [], ...request }
}

/** The name server on a port of 127.0.0.1. */
export const at = ({ port }: { readonly port: number }) => ({ nameServer: '127.0.0.1', port })

/** One attempt at one question by the real runner. */
export function askOnce(request: Partial<DnsRequest>, options: Options = {}): Promise<Outcome> {
  const { signal = new AbortController().signal, variables = [], ...rest } = options
  const nowhere = { hostsFile: '/nowhere/hosts', resolvConf: '/nowhere/resolv.conf' }
  const run = createDnsCheck({
    clock: systemClock,
    resolveName: createResolver({ clock: systemClock, ...nowhere }),
    egress: createEgressPolicy({ allow: noEgressRules, deny: noEgressRules }),
    nameServers: undefined,
    templates: { now: () => Date.now(), uuid: () => 'a-uuid', random: () => 0.5 },
    attemptMs: 30_000,
    ...rest,
  })
  return run({ request: dnsRequest(request), variables: [...variables] }, signal)
}

export async function answered(...args: Parameters<typeof askOnce>): Promise<Observed> {
  const outcome = await askOnce(...args)
  if (outcome.kind !== 'observed') throw new Error(`not answered: ${outcome.cause.message}`)
  return outcome
}

export async function unanswered(...args: Parameters<typeof askOnce>): Promise<Failed> {
  const outcome = await askOnce(...args)
  if (outcome.kind === 'observed') throw new Error('answered, and should not be')
  return outcome
}
