import type { TypedCheck } from '../../../contract/check-schemas.ts'
import type { AnyCheck } from '../../../contract/checks/any-check.ts'
import type { DnsRequest } from '../../../contract/checks/dns/request.ts'
import type { HeartbeatCheck } from '../../../contract/checks/heartbeat/check.ts'
import type { CheckGroup } from '../../../contract/resources/check-group.ts'
import type { Fault } from '../../../lib/validate.ts'
import { assertionFaults } from '../../../rules/assertions/assertion-faults.ts'
import { effectiveCheck, locationsOf } from '../../../rules/effective-check.ts'
import { heartbeatFaults } from '../../../rules/heartbeat.ts'
import { requestUrlFault } from '../../../rules/request-url.ts'
import { frequencyOffsetFault } from '../../../rules/schedule.ts'
import { templateFaults } from '../../../rules/template/template-faults.ts'
import { variableFaults } from '../../stored/variable-faults.ts'
import { heartbeatRequest } from './heartbeat-request.ts'

function urlFaults({ url }: { readonly url: string }): Fault[] {
  const text = requestUrlFault(url)
  return text === null ? [] : [{ path: 'request.url', text }]
}

/** A name or an address, and not a URL. */
function hostnameFaults({ hostname }: { readonly hostname: string }): Fault[] {
  if (hostname.includes('{{') || /^[^\s/?#@]+$/.test(hostname)) return []
  const text = `"request.hostname" must be a host name or an address, was ${JSON.stringify(hostname.slice(0, 40))}`
  return [{ path: 'request.hostname', text }]
}

function nameServerFaults({ nameServer = '', port }: DnsRequest): Fault[] {
  if ((nameServer !== '') === (port !== undefined)) return []
  const [missing, sent] = nameServer === '' ? ['nameServer', 'port'] : ['port', 'nameServer']
  return [
    {
      path: `request.${missing}`,
      text: `"request.${missing}" is required with "request.${sent}": send both or neither`,
    },
  ]
}

function heartbeatCheckFaults(check: HeartbeatCheck): Fault[] {
  const request = heartbeatRequest(check)
  return [
    ...heartbeatFaults(check.heartbeat),
    ...(request
      ? [...urlFaults(request), ...templateFaults(request), ...assertionFaults(request.assertions)]
      : []),
  ]
}

function requestFaults({ type, check }: TypedCheck): Fault[] {
  switch (type) {
    case 'API':
      return [
        ...urlFaults(check.request),
        ...templateFaults(check.request),
        ...assertionFaults(check.request.assertions),
      ]
    case 'URL':
      return urlFaults(check.request)
    case 'TCP':
    case 'ICMP':
      return hostnameFaults(check.request)
    case 'DNS':
      return nameServerFaults(check.request)
    case 'HEARTBEAT':
      return heartbeatCheckFaults(check)
    case 'AGENTIC':
    case 'BROWSER':
    case 'MULTI_STEP':
    case 'PLAYWRIGHT':
      return []
  }
}

/** A heartbeat has no schedule but its period. */
function scheduleFaults({ type, check }: TypedCheck): Fault[] {
  if (type === 'HEARTBEAT') return []
  const text = frequencyOffsetFault(check.frequency, check.frequencyOffset)
  return text === null ? [] : [{ path: 'frequencyOffset', text }]
}

/** A heartbeat that waits for the pings of others needs no place to run. */
function placeFaults(typed: TypedCheck, group: CheckGroup | null): Fault[] {
  if (typed.type === 'HEARTBEAT' && !heartbeatRequest(typed.check)) return []
  const check: AnyCheck = typed.check
  if (locationsOf(effectiveCheck(check, group)).length > 0) return []
  return [{ path: 'locations', text: 'You have to set at least one `location` or `privateLocation`' }]
}

/** What the schema alone cannot see, references aside. */
export function checkFaults(typed: TypedCheck, group: CheckGroup | null): Fault[] {
  const { environmentVariables }: AnyCheck = typed.check
  return [
    ...requestFaults(typed),
    ...scheduleFaults(typed),
    ...placeFaults(typed, group),
    ...variableFaults(environmentVariables),
  ]
}
