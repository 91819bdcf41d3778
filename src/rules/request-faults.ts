import type { TypedCheck } from '../contract/check-schemas.ts'
import type { ApiRequest } from '../contract/checks/api/request.ts'
import type { DnsRequest } from '../contract/checks/dns/request.ts'
import type { HeartbeatCheck } from '../contract/checks/heartbeat/check.ts'
import type { IcmpRequest } from '../contract/checks/icmp/request.ts'
import type { TcpRequest } from '../contract/checks/tcp/request.ts'
import type { Fault } from '../lib/find-faults.ts'
import { assertionFaults } from './assertions/assertion-faults.ts'
import { heartbeatFaults } from './heartbeat.ts'
import { heartbeatRequest } from './heartbeat-request.ts'
import { httpRequestOf } from './http-request.ts'
import { requestUrlFault } from './request-url.ts'
import { dnsTemplates, fieldFaults, icmpTemplates, tcpTemplates } from './template/fill-fields.ts'
import { templateFaults } from './template/template-faults.ts'

/** What is wrong with the request of a check, by what the schema alone cannot see. */
export function requestFaults({ type, check }: TypedCheck): Fault[] {
  switch (type) {
    case 'API':
    case 'URL':
      return httpFaults(httpRequestOf(check.request))
    case 'DNS':
      return dnsFaults(check.request)
    case 'HEARTBEAT':
      return heartbeatCheckFaults(check)
    case 'ICMP':
      return [...hostFaults(check.request), ...fieldFaults(check.request, icmpTemplates)]
    case 'TCP':
      return [...hostFaults(check.request), ...fieldFaults(check.request, tcpTemplates)]
    case 'AGENTIC':
    case 'BROWSER':
    case 'MULTI_STEP':
    case 'PLAYWRIGHT':
      return []
  }
}

function httpFaults(request: ApiRequest): Fault[] {
  const text = requestUrlFault(request.url)
  return [
    ...(text === null ? [] : [{ path: 'request.url', text }]),
    ...templateFaults(request),
    ...assertionFaults(request.assertions),
  ]
}

/** A name or an address, and not a URL. */
function hostFaults({ hostname, assertions }: TcpRequest | IcmpRequest): Fault[] {
  const faults = assertionFaults(assertions)
  if (hostname.includes('{{') || /^[^\s/?#@]+$/.test(hostname)) return faults
  const text = `"request.hostname" must be a host name or an address, was ${JSON.stringify(hostname.slice(0, 40))}`
  return [{ path: 'request.hostname', text }, ...faults]
}

function dnsFaults(request: DnsRequest): Fault[] {
  return [
    ...nameServerFaults(request),
    ...fieldFaults(request, dnsTemplates),
    ...assertionFaults(request.assertions),
  ]
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
  return [...heartbeatFaults(check.heartbeat), ...(request ? httpFaults(request) : [])]
}
