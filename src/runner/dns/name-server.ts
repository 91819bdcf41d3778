import { getServers } from 'node:dns'
import { isIP, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Clock } from '../../lib/clock.ts'
import { RereadFile } from '../dial/reread-file.ts'
import { parseResolvConf } from '../dial/resolv-conf.ts'

export interface NameServer {
  readonly address: string
  readonly port: number
}

export const dnsPort = 53

/** `192.0.2.1:53`, `[2001:db8::1]:53` */
export function nameServerText({ address, port }: NameServer): string {
  return isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`
}

/**
 * The resolvers of the agent, in their order: those that are named (`127.0.0.1:5353`), else those of resolv.conf, which
 * is read again from time to time; the operating system's own way of finding names cannot be asked for records.
 */
export function ownResolvers(
  clock: Clock,
  named: readonly string[] | undefined,
): () => readonly NameServer[] {
  if (named) return () => named.flatMap(parse)
  const file = new RereadFile({ path: '/etc/resolv.conf', clock, parse: parseResolvConf })
  return () => {
    const { nameServers } = file.content
    return (nameServers.length > 0 ? nameServers : getServers()).flatMap(parse)
  }
}

/** An address with or without a port, and of IPv6 with or without brackets; nothing for a zone, which has no place here. */
function parse(text: string): NameServer[] {
  if (isIP(text) !== 0) return [{ address: canonicalAddress(text), port: dnsPort }]
  const [, bracketed, plain, port] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(text) ?? []
  const address = bracketed ?? plain ?? ''
  return isIP(address) === 0
    ? []
    : [{ address: canonicalAddress(address), port: port === undefined ? dnsPort : Number(port) }]
}

/** As the system writes an address that a socket is connected to. */
export function canonicalAddress(address: string): string {
  return isIPv6(address) && !address.includes('%') ? ipaddr.parse(address).toString() : address
}
