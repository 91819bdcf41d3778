import type { CheckType } from '../contract/check-types.ts'
import type { Outcome } from '../contract/outcome.ts'
import type { CheckDefinition } from '../contract/run.ts'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { createEgressPolicy, type EgressPolicy } from '../rules/egress/egress-policy.ts'
import { noEgressRules } from '../rules/egress/egress-rules.ts'
import { createApiCheck } from './api/run-api-check.ts'
import type { Circumstances } from './circumstances.ts'
import { createDialer } from './dial/dial.ts'
import type { ProxySettings } from './dial/proxy-url.ts'
import { createOsResolver, createResolver } from './dial/resolve.ts'

/**
 * One attempt at one check: observes, never judges, retries, logs or stores. A dead target is an outcome; the promise
 * rejects with the signal's reason when the signal ends the attempt, and with AppError when the fault is our own.
 */
export type RunCheck = (
  definition: CheckDefinition,
  signal: AbortSignal,
  circumstances?: Circumstances,
) => Promise<Outcome>

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
  /** The hard cap of one attempt: 30,000 unless told (semantics §3). */
  readonly attemptMs?: number
  /** No more of a body is read: 25 MB unless told (semantics §3). */
  readonly maxBodyBytes?: number
}

export function createRunCheck(options: RunnerOptions): RunCheck {
  const { clock, nameServers, attemptMs = 30_000, maxBodyBytes = 25 * 1024 * 1024 } = options
  const resolve = options.useOsDnsResolver
    ? createOsResolver()
    : createResolver(nameServers ? { clock, nameServers } : { clock })
  const dial = createDialer({
    clock,
    resolve,
    egress: options.egress ?? createEgressPolicy({ allow: noEgressRules, deny: noEgressRules }),
    proxy: options.proxy ?? (() => null),
    extraCa: options.extraCa ?? [],
  })
  const templates = { now: () => clock.now(), uuid: newId, random: Math.random }
  const userAgent = `Picket/${options.version}`
  const runners: { readonly [T in CheckType]: RunCheck } = {
    API: createApiCheck({ clock, dial, userAgent, templates, attemptMs, maxBodyBytes }),
  }
  return (definition, signal, circumstances) => runners[definition.type](definition, signal, circumstances)
}
