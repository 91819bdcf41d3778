import type { ErroredReason } from '../../contract/result.ts'
import type { Canary } from '../../runner/canary/egress-canary.ts'
import type { FamilyName } from '../../runner/canary/route-canary.ts'

/** Why an attempt says nothing about its target. */
export interface OwnFault {
  readonly reason: ErroredReason
  /** For an operator: what was found, and where to look. Nothing of the check is in it. */
  readonly message: string
}

/** A result's message has a limit. */
const maxListed = 400

export function stalled(ms: number): OwnFault {
  const message =
    `the agent stood still for ${Math.round(ms)} ms during the attempt: look at the CPU and memory that it gets, ` +
    'at JOB_CONCURRENCY, and whether the machine was suspended'
  return { reason: 'event-loop-stall', message }
}

export const withoutSockets: OwnFault = {
  reason: 'out-of-sockets',
  message:
    'the agent cannot open a socket to find out whose fault it was: look at its limit of open files (ulimit -n), ' +
    'at the local ports of the machine, and at JOB_CONCURRENCY',
}

export function withoutRoute(families: readonly FamilyName[]): OwnFault {
  const message =
    `this machine has no route for ${families.join(' or ')}: look at its network interfaces and routes; ` +
    'where it has no IPv6 at all, let its checks use IPv4'
  return { reason: 'no-route', message }
}

export function withoutResolver(nameServers: readonly string[]): OwnFault {
  const message = `no name server answers (${listed(nameServers)}): look at the resolver of this location`
  return { reason: 'resolver-unreachable', message }
}

export function withoutEgress(canaries: readonly Canary[]): OwnFault {
  const names = canaries.map(({ host, port }) =>
    host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`,
  )
  const message = `no canary can be reached (${listed(names)}): look at the network of this location, and at PICKET_CANARIES`
  return { reason: 'no-egress', message }
}

function listed(names: readonly string[]): string {
  const text = names.join(', ')
  return text.length > maxListed ? `${text.slice(0, maxListed)}…` : text
}
