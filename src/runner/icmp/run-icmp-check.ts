import type { DefinitionOf } from '../../contract/run.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'
import type { EgressPolicy } from '../../rules/egress/egress-policy.ts'
import { fillFields, icmpTemplates } from '../../rules/template/fill-fields.ts'
import type { TemplateSources } from '../../rules/template/helpers.ts'
import type { Circumstances } from '../circumstances.ts'
import { hostToDial } from '../dial/host-to-dial.ts'
import type { Resolve } from '../dial/resolve.ts'
import { failure, unfilled } from '../failures.ts'
import { Attempt, type IcmpSeen } from './attempt.ts'
import type { IcmpAbility } from './icmp-ability.ts'
import type { Ping } from './ping.ts'

export interface IcmpCheckOptions {
  readonly clock: Clock
  readonly resolve: Resolve
  readonly egress: EgressPolicy
  /** What templates get anew for each attempt. */
  readonly templates: TemplateSources
  /** Asked when the first check runs: to find it out may start a process. */
  readonly ability: () => IcmpAbility
  readonly attemptMs: number
}

type RunIcmpCheck = (
  definition: Pick<DefinitionOf<'ICMP'>, 'request' | 'variables'>,
  signal: AbortSignal,
  circumstances?: Circumstances,
) => Promise<IcmpSeen>

/**
 * One attempt at one ICMP check. Without any reply nothing is observed: the target is unreachable or out of time. Rejects
 * with the signal's reason when the signal ends it, and with AppError when the fault is our own: ICMP_NOT_PERMITTED among
 * others. No proxy carries it.
 */
export function createIcmpCheck(options: IcmpCheckOptions): RunIcmpCheck {
  let ping: Ping | null = null
  return async ({ request, variables }, signal, { freshDns = false } = {}) => {
    signal.throwIfAborted()
    ping ??= pingBy(options.ability(), options.clock)
    const filled = fillFields(request, icmpTemplates, variables, options.templates)
    const asked = filled.kind === 'filled' ? filled.request : request
    const hostname = hostToDial(asked.hostname.trim())
    const attempt = new Attempt({
      ...options,
      ping,
      request: asked,
      hostname: hostname ?? asked.hostname,
      signal,
      freshDns,
    })
    if (filled.kind !== 'filled') return attempt.failed(unfilled(filled))
    return hostname === null ? attempt.failed(failure('invalid-request', null)) : attempt.run()
  }
}

/** @throws AppError ICMP_NOT_PERMITTED */
function pingBy(ability: IcmpAbility, clock: Clock): Ping {
  if (ability.way === 'none') throw new AppError('ICMP_NOT_PERMITTED', ability.why)
  return ability.ping(clock)
}
