import type { Clock } from '../lib/clock.ts'
import type { Closers } from '../lib/closers.ts'
import type { Logger } from '../lib/logger.ts'
import { createEgressPolicy } from '../rules/egress/egress-policy.ts'
import { describeEgressRules } from '../rules/egress/egress-rules.ts'
import { SharedBodyMemory } from '../runner/body-memory.ts'
import type { Canary } from '../runner/canary/egress-canary.ts'
import type { IcmpAbility } from '../runner/icmp/icmp-ability.ts'
import { createRunCheck, type RunCheck } from '../runner/run-check.ts'
import type { CarryOutOptions } from './carry-out.ts'
import { CheckProxy } from './check-proxy.ts'
import type { AgentConfig } from './config.ts'
import { createJudging } from './judging/judging.ts'
import { createSelfDoubt } from './self-doubt/self-doubt.ts'
import { StallWatch } from './stall-watch.ts'

export interface ProbingOptions {
  readonly config: AgentConfig
  readonly logger: Logger
  readonly clock: Clock
  readonly version: string
  readonly closers: Closers
  readonly icmpAbility: () => IcmpAbility
  /** Instead of our own runners. */
  readonly runCheck: RunCheck | undefined
}

export interface Probing extends Pick<CarryOutOptions, 'runCheck' | 'bodies' | 'conclude' | 'ownFault'> {
  readonly proxy: CheckProxy
}

/** What it takes to see how a target is, and to say whose fault it is when it is not well. */
export function openProbing(options: ProbingOptions): Probing {
  const { config, logger, clock, version, closers } = options
  const { useOsDnsResolver } = config
  const { icmpAbility } = options
  const monotonicMs = () => clock.monotonicMs()
  const proxy = new CheckProxy()
  const stalls = new StallWatch(monotonicMs)
  closers.push('stall watch', () => stalls.close())
  const judging = createJudging({ clock })
  closers.push('judging', () => judging.close())
  const selfDoubt = createSelfDoubt({
    logger,
    monotonicMs,
    stalledMsSince: (fromMs, toMs) => stalls.stalledMsSince(fromMs, toMs),
    canaries: config.canaries,
    defaultCanary: serviceCanary(config),
    useOsDnsResolver,
  })
  closers.push('self-doubt', () => selfDoubt.close())
  sayEgressRules(config, logger)
  const egress = createEgressPolicy({ allow: config.egressAllow, deny: config.egressDeny })
  const own = () =>
    createRunCheck({ clock, useOsDnsResolver, version, egress, proxy: () => proxy.current(), icmpAbility })
  return {
    runCheck: options.runCheck ?? own(),
    bodies: new SharedBodyMemory(config.bodyMemoryBytes),
    conclude: (definition, outcome) => judging.conclude(proxy.guarded(definition), outcome),
    ownFault: (attempt, signal) => selfDoubt.ownFault(attempt, signal),
    proxy,
  }
}

/** How each rule was read: a miswritten one may be a host that nobody has. */
function sayEgressRules({ egressAllow, egressDeny }: AgentConfig, logger: Logger): void {
  const [allowed, denied] = [egressAllow, egressDeny].map(describeEgressRules)
  if (allowed?.length) logger.info({ rules: allowed }, 'checks may reach nothing but what EGRESS_ALLOW names')
  if (denied?.length) logger.info({ rules: denied }, 'checks may not reach what EGRESS_DENY names')
}

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/

/** The service, where a connection to it says something of the way out of this location. */
function serviceCanary({ serviceUrl, proxies }: AgentConfig): Canary | null {
  const { protocol, hostname, port } = serviceUrl
  if (loopback.test(hostname) || proxies.https || proxies.http) return null
  const host = hostname.replace(/^\[|\]$/g, '')
  return { host, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) }
}
