import { egressRuleFault, endsInNumber } from './egress-rule-fault.ts'
import { type IpNetwork, parseNetwork } from './ip-network.ts'

/** Whom an operator allows or denies: addresses and host names. */
export interface EgressRules {
  readonly networks: readonly IpNetwork[]
  /** In lower case. `*.example.com` stands for every name under it, not for itself. */
  readonly hosts: readonly string[]
}

export const noEgressRules: EgressRules = { networks: [], hosts: [] }

const maxItems = 1000
const maxLength = 100_000
const label = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?'
const hostPattern = new RegExp(`^(?:\\*\\.)?${label}(?:\\.${label})*$`)

/**
 * Reads `10.0.0.0/8, fd00::1, db.internal, *.example.com`; an empty text has no rules. A fault names the item and what is
 * wrong with it. A name of one label, such as a service of Compose or Kubernetes, is a host. Numbers that are no address
 * in full are a fault, not a host: `10.1` is neither the name nor the net that its writer may mean.
 */
export function parseEgressRules(text: string): { readonly rules: EgressRules } | { readonly fault: string } {
  if (text.length > maxLength) return { fault: `longer than ${maxLength} characters` }
  if (text.trim() === '') return { rules: noEgressRules }
  const items = text.split(',').map((item) => item.trim())
  if (items.length > maxItems) return { fault: `more than ${maxItems} items` }
  const networks: IpNetwork[] = []
  const hosts: string[] = []
  for (const item of items) {
    const network = parseNetwork(item)
    const host = item.toLowerCase().replace(/\.$/, '')
    if (network) networks.push(network)
    else if (isHostPattern(host)) hosts.push(host)
    else return { fault: egressRuleFault(item) }
  }
  return { rules: { networks, hosts } }
}

function isHostPattern(text: string): boolean {
  return text.length <= 253 && hostPattern.test(text) && !endsInNumber(text)
}

/** Each rule with what it was read as: `CIDR 10.0.0.0/8`, `address fd00::1`, `host db`, `hosts under example.com`. */
export function describeEgressRules({ networks, hosts }: EgressRules): string[] {
  return [...networks.map(describeNetwork), ...hosts.map(describeHost)]
}

function describeNetwork([address, bits]: IpNetwork): string {
  const isSingle = bits === (address.kind() === 'ipv4' ? 32 : 128)
  return isSingle ? `address ${address}` : `CIDR ${address}/${bits}`
}

const describeHost = (host: string) =>
  host.startsWith('*.') ? `hosts under ${host.slice(2)}` : `host ${host}`

/** Whether a host name, in lower case and without a dot at its end, is one of these. */
export function namesHost(hosts: readonly string[], hostname: string): boolean {
  return hosts.some((host) => (host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : hostname === host))
}
