import type { CheckType } from '../contract/check-types.ts'
import type { Outcome } from '../contract/outcome.ts'
import type { CheckDefinition } from '../contract/run.ts'
import type { Clock } from '../lib/clock.ts'
import { createApiCheck } from './api/run-api-check.ts'
import { createDialer } from './dial/dial.ts'
import { createOsResolver, createResolver } from './dial/resolve.ts'
import { createSharedContext } from './dial/tls.ts'

/**
 * One attempt at one check: observes, never judges, retries, logs or stores. A dead target is an outcome; the promise
 * rejects with the signal's reason when the signal ends the attempt, and with AppError when the fault is our own.
 */
export type RunCheck = (definition: CheckDefinition, signal: AbortSignal) => Promise<Outcome>

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
  const dial = createDialer({ clock, resolve, context: createSharedContext(options.extraCa ?? []) })
  const userAgent = `Picket/${options.version}`
  const runners: { readonly [T in CheckType]: RunCheck } = {
    API: createApiCheck({ clock, dial, userAgent, attemptMs, maxBodyBytes }),
  }
  return (definition, signal) => runners[definition.type](definition, signal)
}
