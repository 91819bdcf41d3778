import type { IcmpRequest } from '../../src/contract/checks/icmp/request.ts'
import type { Variable } from '../../src/contract/variable.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createEgressPolicy, type EgressPolicy } from '../../src/rules/egress/egress-policy.ts'
import { noEgressRules } from '../../src/rules/egress/egress-rules.ts'
import { createResolver, type Resolve } from '../../src/runner/dial/resolve.ts'
import { icmpAbility } from '../../src/runner/icmp/icmp-ability.ts'
import { createIcmpCheck } from '../../src/runner/icmp/run-icmp-check.ts'

export interface PingOptions {
  readonly variables?: Variable[]
  readonly resolve?: Resolve
  readonly egress?: EgressPolicy
  readonly attemptMs?: number
  readonly signal?: AbortSignal
}

/** One ICMP check of this host, once and over IPv4 unless told, by whatever way this process is permitted. */
export function pingOnce(request: Partial<IcmpRequest>, options: PingOptions = {}) {
  const clock = systemClock
  const runCheck = createIcmpCheck({
    clock,
    resolve: options.resolve ?? createResolver({ clock }),
    egress: options.egress ?? createEgressPolicy({ allow: noEgressRules, deny: noEgressRules }),
    templates: { now: () => 0, uuid: () => '', random: () => 0 },
    ability: icmpAbility,
    attemptMs: options.attemptMs ?? 30_000,
  })
  const definition = { request: icmpRequest(request), variables: options.variables ?? [] }
  return runCheck(definition, options.signal ?? new AbortController().signal)
}

/** A request as it is stored. */
export function icmpRequest(request: Partial<IcmpRequest>): IcmpRequest {
  return { hostname: '127.0.0.1', ipFamily: 'IPv4', pingCount: 1, assertions: [], ...request }
}
