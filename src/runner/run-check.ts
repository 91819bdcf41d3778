import type { CheckType } from '../contract/check-types.ts'
import type { OutcomeOf } from '../contract/outcome.ts'
import type { DefinitionOf } from '../contract/run.ts'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { createEgressPolicy, type EgressPolicy } from '../rules/egress/egress-policy.ts'
import { noEgressRules } from '../rules/egress/egress-rules.ts'
import type { Circumstances } from './circumstances.ts'
import { createDialer } from './dial/dial.ts'
import type { ProxySettings } from './dial/proxy-url.ts'
import { createOsResolver, createResolver } from './dial/resolve.ts'
import { createDnsCheck } from './dns/run-dns-check.ts'
import { createHttpCheck } from './http/run-http-check.ts'
import { type IcmpAbility, icmpAbility } from './icmp/icmp-ability.ts'
import { createIcmpCheck } from './icmp/run-icmp-check.ts'
import { createTcpCheck } from './tcp/run-tcp-check.ts'

/**
 * One attempt at one check: observes, never judges, retries, logs or stores. A dead target is an outcome; the promise
 * rejects with the signal's reason when the signal ends the attempt, and with AppError when the fault is our own.
 */
export type RunCheck = Runner<CheckType>

/** Of one type, or of several. */
type Runner<T extends CheckType> = (...attempt: Attempt<T>) => Promise<OutcomeOf<T>>
type Attempt<T extends CheckType> = [
  definition: DefinitionOf<T>,
  signal: AbortSignal,
  circumstances?: Circumstances,
]

export interface RunnerOptions {
  readonly clock: Clock
  /** The operating system's resolver instead of our own (USE_OS_DNS_RESOLVER, semantics §10). */
  readonly useOsDnsResolver: boolean
  /** Ours, for the default User-Agent. */
  readonly version: string
  /** PEM texts of authorities that are trusted besides the machine's own. */
  readonly extraCa?: readonly string[]
  /** `127.0.0.1:5353`; the machine's own where none are named. */
  readonly nameServers?: readonly string[]
  /** What checks may reach: all but what is always refused, unless told. */
  readonly egress?: EgressPolicy
  /** The proxy that all checks go through now; null for none. @throws AppError PROXY_UNUSABLE */
  readonly proxy?: () => ProxySettings | null
  /** How this machine lets us ping: found out by the first ICMP check unless told. */
  readonly icmpAbility?: () => IcmpAbility
  /** The hard cap of one attempt: 30,000 unless told (semantics §3). */
  readonly attemptMs?: number
  /** No more of a body is read: 25 MB unless told (semantics §3). */
  readonly maxBodyBytes?: number
}

export function createRunCheck(
  options: RunnerOptions,
): <T extends CheckType>(...attempt: Attempt<T>) => Promise<OutcomeOf<T>> {
  const { clock, nameServers, attemptMs = 30_000, maxBodyBytes = 25 * 1024 * 1024 } = options
  const resolve = options.useOsDnsResolver
    ? createOsResolver()
    : createResolver(nameServers ? { clock, nameServers } : { clock })
  const egress = options.egress ?? createEgressPolicy({ allow: noEgressRules, deny: noEgressRules })
  const proxy = options.proxy ?? (() => null)
  const dial = createDialer({ clock, resolve, egress, proxy, extraCa: options.extraCa ?? [] })
  const templates = { now: () => clock.now(), uuid: newId, random: Math.random }
  const userAgent = `Picket/${options.version}`
  const ability = options.icmpAbility ?? icmpAbility
  const http = createHttpCheck({ clock, dial, userAgent, templates, attemptMs, maxBodyBytes })
  const dns = createDnsCheck({ clock, resolveName: resolve, egress, nameServers, templates, attemptMs })
  const icmp = createIcmpCheck({ clock, resolve, egress, ability, templates, attemptMs })
  const tcp = createTcpCheck({ clock, dial, templates, attemptMs })
  const runners: { readonly [T in CheckType]: Runner<T> } = {
    API: async (...attempt) => ({ type: 'API', ...(await http(...attempt)) }),
    DNS: async (...attempt) => ({ type: 'DNS', ...(await dns(...attempt)) }),
    HEARTBEAT: async (...attempt) => ({ type: 'HEARTBEAT', ...(await http(...attempt)) }),
    ICMP: async (...attempt) => ({ type: 'ICMP', ...(await icmp(...attempt)) }),
    TCP: async (...attempt) => ({ type: 'TCP', ...(await tcp(...attempt)) }),
    URL: async (...attempt) => ({ type: 'URL', ...(await http(...attempt)) }),
  }
  return (definition, ...circumstances) => runners[definition.type](definition, ...circumstances)
}
