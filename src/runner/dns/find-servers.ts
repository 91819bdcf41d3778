import { NODATA } from 'node:dns'
import { isIP } from 'node:net'
import type { DnsRequest } from '../../contract/checks/dns/request.ts'
import type { EgressPolicy } from '../../rules/egress/egress-policy.ts'
import { codeOf, egressForbidden } from '../dial/dial-errors.ts'
import type { Resolve } from '../dial/resolve.ts'
import type { AskingWatcher } from './asking.ts'
import { DnsFault } from './dns-fault.ts'
import { canonicalAddress, dnsPort, type NameServer } from './name-server.ts'
import { queryName } from './query-name.ts'

export interface ServersWanted {
  readonly request: Pick<DnsRequest, 'nameServer' | 'port'>
  readonly resolveName: Resolve
  readonly egress: EgressPolicy
  readonly ownResolvers: () => readonly NameServer[]
  /** The name of a name server is asked for anew, whatever is known of it. */
  readonly fresh: boolean
  readonly watcher: AskingWatcher
}

export type ServersFound = (error: Error | null, servers: readonly NameServer[]) => void

/**
 * Whom to ask, the preferred one first: the name server of the check, by its name or its address, or the resolvers of the
 * agent. What a check names is judged by the egress policy like a target. The agent's own resolvers are the operator's
 * choice and are asked for every other check as well: they are not judged. A name stands for its addresses of IPv4, or
 * where it has none for those of IPv6. Returns what stops it, which is not called back.
 */
export function findServers(wanted: ServersWanted, done: ServersFound): () => void {
  const { request, egress, ownResolvers } = wanted
  const written = request.nameServer?.trim() ?? ''
  if (written === '') {
    const servers = ownResolvers()
    done(servers.length === 0 ? noResolvers() : null, servers)
    return () => {}
  }
  const hostname = written.replace(/^\[(.*)\]$/, '$1')
  if (egress.forbidsHost(hostname)) done(egressForbidden(null), [])
  else if (isIP(hostname) !== 0) judge(wanted, hostname, [hostname], done)
  else return lookUp(wanted, hostname, done)
  return () => {}
}

function lookUp(wanted: ServersWanted, written: string, done: ServersFound): () => void {
  const { resolveName, fresh, watcher } = wanted
  const hostname = queryName(written)
  if (hostname === null) {
    done(noSuchServer(), [])
    return () => {}
  }
  let stopped = false
  const ask = (family: 4 | 6) =>
    resolveName({ hostname, family, fresh }, (error, addresses) => {
      if (stopped) return
      if (family === 4 && codeOf(error) === NODATA) ask(6)
      else if (error) done(error, [])
      else judge(wanted, hostname, addresses, done)
    })
  watcher.onPhase('dns')
  ask(4)
  return () => {
    stopped = true
  }
}

function judge(
  wanted: ServersWanted,
  hostname: string,
  addresses: readonly string[],
  done: ServersFound,
): void {
  const { egress, watcher, request } = wanted
  const isForbidden = (address: string) => egress.forbidsAddress(address, hostname)
  const forbidden = addresses.filter(isForbidden)
  for (const address of forbidden) watcher.onTried({ address, fate: 'forbidden', code: null, tookUs: 0 })
  const servers = addresses
    .filter((address) => !forbidden.includes(address))
    .map((address) => ({ address: canonicalAddress(address), port: request.port ?? dnsPort }))
  done(servers.length === 0 ? egressForbidden(forbidden[0] ?? null) : null, servers)
}

const noResolvers = () => new DnsFault('dns-failed', null, 'The agent has no resolver that could be asked')
const noSuchServer = () =>
  new DnsFault('invalid-request', null, 'The name server is neither an address nor a host name')
