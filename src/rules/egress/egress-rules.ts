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
 * Reads `10.0.0.0/8, fd00::1, db.internal, *.example.com`. A fault names the item. Numbers that are no address in full
 * are a fault, not a host: `10.1` is neither the name nor the net that its writer may mean.
 */
export function parseEgressRules(text: string): { readonly rules: EgressRules } | { readonly fault: string } {
  if (text.length > maxLength) return { fault: `longer than ${maxLength} characters` }
  const items = text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
  if (items.length > maxItems) return { fault: `more than ${maxItems} items` }
  const networks: IpNetwork[] = []
  const hosts: string[] = []
  for (const item of items) {
    const network = parseNetwork(item)
    const host = item.toLowerCase().replace(/\.$/, '')
    if (network) networks.push(network)
    else if (isHostPattern(host)) hosts.push(host)
    else
      return { fault: `${JSON.stringify(item.slice(0, 100))} is neither an address, a CIDR nor a host name` }
  }
  return { rules: { networks, hosts } }
}

/** The last label of a name is never a number: such a text is a miswritten address (WHATWG URL, ends in a number). */
function isHostPattern(text: string): boolean {
  return text.length <= 253 && hostPattern.test(text) && !/(?:^|\.)(?:\d+|0x[\da-f]*)$/.test(text)
}

/** Whether a host name, in lower case and without a dot at its end, is one of these. */
export function namesHost(hosts: readonly string[], hostname: string): boolean {
  return hosts.some((host) => (host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : hostname === host))
}
