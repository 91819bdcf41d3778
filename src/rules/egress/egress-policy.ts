import { boundedCache } from '../bounded-cache.ts'
import { refusedHosts, refusedNetworks } from './always-refused.ts'
import { type EgressRules, namesHost } from './egress-rules.ts'
import { innerAddresses } from './inner-addresses.ts'
import { type IpAddress, isWithin, knownNetwork, parseAddress } from './ip-network.ts'

/**
 * What checks may reach (design promise 10). Metadata services of clouds and link-local addresses are refused whatever
 * the operator says; what is denied is refused although it is allowed; where anything is allowed, all else is refused.
 * Loopback and private nets are like any other. Host names are taken in any letters, with or without a dot at their end.
 */
export interface EgressPolicy {
  /** Whether a host is refused by its name, whatever its addresses. */
  readonly forbidsHost: (hostname: string) => boolean
  /**
   * Whether an address is refused; `hostname` is what it was found for, or the address itself. An address of IPv6 is
   * seen through to those of IPv4 that it may lead to, and what is no address in full is refused.
   */
  readonly forbidsAddress: (address: string, hostname: string) => boolean
  /** Whether a host is refused whose address is not seen, since a proxy looks it up: it is judged by its name alone. */
  readonly forbidsUnseen: (hostname: string) => boolean
}

export interface EgressPolicyOptions {
  readonly allow: EgressRules
  readonly deny: EgressRules
}

/** `0.0.0.0` and `::` lead to this host (RFC 1122 §3.2.1.3): they are judged as its loopback addresses as well. */
const unspecified = ['0.0.0.0/8', '::/128'].map(knownNetwork)
const [loopback4] = knownNetwork('127.0.0.1')
const [loopback6] = knownNetwork('::1')

/** Of an address by itself; one that is not allowed may be so by the name that led to it. */
type Judgement = 'refused' | 'allowed' | 'not-allowed'

/** Checks go to the same addresses again and again. */
const maxJudgements = 10_000

export function createEgressPolicy({ allow, deny }: EgressPolicyOptions): EgressPolicy {
  const allowsAll = allow.networks.length === 0 && allow.hosts.length === 0
  const refused = [...refusedNetworks, ...deny.networks]

  const refusesName = (name: string) => refusedHosts.has(name) || namesHost(deny.hosts, name)
  const allowsName = (name: string) => allowsAll || namesHost(allow.hosts, name)

  function allowsAddress(address: IpAddress): boolean {
    const same = innerAddresses(address).filter((inner) => inner.same)
    return [address, ...same.map((inner) => inner.address)].flatMap(withLoopback).some(isAllowed)
  }
  const isAllowed = (address: IpAddress) => isWithin(address, allow.networks)

  function refusesAddress(address: IpAddress): boolean {
    const inner = innerAddresses(address).map((within) => within.address)
    return [address, ...inner].flatMap(withLoopback).some((one) => isWithin(one, refused))
  }

  const judge = (text: string): Judgement => {
    const address = parseAddress(text)
    if (!address || refusesAddress(address)) return 'refused'
    return allowsAddress(address) ? 'allowed' : 'not-allowed'
  }
  const judgementOf = boundedCache(maxJudgements, judge)

  return {
    forbidsHost: (hostname) => refusesName(normal(hostname)),
    forbidsAddress: (text, hostname) => {
      const judgement = judgementOf(text)
      const name = normal(hostname)
      if (judgement === 'refused' || refusesName(name)) return true
      return judgement === 'not-allowed' && !allowsName(name)
    },
    forbidsUnseen: (hostname) => {
      const name = normal(hostname)
      return refusesName(name) || !allowsName(name)
    },
  }
}

function withLoopback(address: IpAddress): IpAddress[] {
  if (!isWithin(address, unspecified)) return [address]
  return [address, address.kind() === 'ipv4' ? loopback4 : loopback6]
}

function normal(hostname: string): string {
  return hostname.toLowerCase().replace(/\.+$/, '')
}
