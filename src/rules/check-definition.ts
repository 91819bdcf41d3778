import type { TypedCheck } from '../contract/check-schemas.ts'
import type { AnyCheck } from '../contract/checks/any-check.ts'
import type { HeartbeatCheck } from '../contract/checks/heartbeat/check.ts'
import type { IcmpCheck } from '../contract/checks/icmp/check.ts'
import type { CheckGroup } from '../contract/resources/check-group.ts'
import type { CheckDefinition, DefinitionOf } from '../contract/run.ts'
import { effectiveApiCheck, effectiveCheck } from './effective-check.ts'
import { heartbeatRequest } from './heartbeat-request.ts'
import { retriesElsewhere } from './retry-elsewhere.ts'

type Identity = Pick<CheckDefinition, 'checkId' | 'version' | 'variables' | 'clientCertificates'>

/** What an agent needs of a check, as it runs in its group, to run and judge it; null for one that no agent can run. */
export function definitionOf(
  typed: TypedCheck,
  group: CheckGroup | null,
  identity: Identity,
): CheckDefinition | null {
  const { type } = typed
  switch (type) {
    case 'API': {
      const check = effectiveApiCheck(typed.check, group)
      return { type, ...identity, ...timed(check), request: check.request, settings: {} }
    }
    case 'DNS': {
      const check = effectiveCheck(typed.check, group)
      return { type, ...identity, ...timed(check), request: check.request, settings: {} }
    }
    case 'HEARTBEAT':
      return heartbeatDefinition(effectiveCheck(typed.check, group), identity)
    case 'ICMP':
      return icmpDefinition(effectiveCheck(typed.check, group), identity)
    case 'TCP': {
      const check = effectiveCheck(typed.check, group)
      return { type, ...identity, ...timed(check), request: check.request, settings: {} }
    }
    case 'URL': {
      const check = effectiveCheck(typed.check, group)
      return { type, ...identity, ...timed(check), request: check.request, settings: {} }
    }
    case 'AGENTIC':
    case 'BROWSER':
    case 'MULTI_STEP':
    case 'PLAYWRIGHT':
      return null
  }
}

function common(check: AnyCheck) {
  const { name, shouldFail, doubleCheck, retryStrategy = null } = check
  return { name, shouldFail, doubleCheck, retryStrategy, retriesElsewhere: retriesElsewhere(check) }
}

interface TimedCheck extends AnyCheck {
  readonly degradedResponseTime: number | null
  readonly maxResponseTime: number | null
}

function timed(check: TimedCheck) {
  const { degradedResponseTime: degradedResponseTimeMs, maxResponseTime: maxResponseTimeMs } = check
  return { ...common(check), degradedResponseTimeMs, maxResponseTimeMs }
}

/** Has no thresholds of time. */
function icmpDefinition(check: IcmpCheck, identity: Identity): DefinitionOf<'ICMP'> {
  const { degradedPacketLossThreshold, maxPacketLossThreshold, request } = check
  const untimed = { degradedResponseTimeMs: null, maxResponseTimeMs: null }
  const settings = { degradedPacketLossThreshold, maxPacketLossThreshold }
  return { type: 'ICMP', ...identity, ...common(check), ...untimed, request, settings }
}

/** Is not tried again (semantics §4). Null for one that waits for the pings of others. */
function heartbeatDefinition(check: HeartbeatCheck, identity: Identity): DefinitionOf<'HEARTBEAT'> | null {
  const request = heartbeatRequest(check)
  if (!request) return null
  const once = { retryStrategy: null, doubleCheck: false, retriesElsewhere: false }
  return { type: 'HEARTBEAT', ...identity, ...timed(check), ...once, request, settings: {} }
}
