import { parseAddress, parseNetwork } from '../../../rules/egress/ip-network.ts'

/** The addresses that agents send from, as far as the operator says that they are fixed. */
export interface StaticIp {
  /** A location's id or slug; null where the operator named none. */
  readonly region: string | null
  readonly family: 4 | 6
  /** An IPv4 address, or an IPv6 net. */
  readonly address: string
}

const most = 1000
const region = /^[a-zA-Z0-9-]{1,30}$/
const allowed =
  'a list such as eu-west-1=203.0.113.7, eu-west-1=2001:db8::/64, 198.51.100.3: single IPv4 addresses, IPv6 nets (one a region)'

function parseItem(item: string): StaticIp | null {
  const [, name = null, text = ''] = /^(?:([^=]*)=)?([^=]*)$/.exec(item) ?? []
  if (name !== null && !region.test(name)) return null
  if (text.includes(':')) {
    if (text.includes('%') || !parseNetwork(text)) return null
    return { region: name, family: 6, address: text.includes('/') ? text : `${text}/128` }
  }
  return parseAddress(text) ? { region: name, family: 4, address: text } : null
}

/** Whether a region has two IPv6 nets: clients take one. */
function isDouble({ region: name, family }: StaticIp, index: number, all: readonly StaticIp[]): boolean {
  return (
    family === 6 && name !== null && all.findIndex((ip) => ip.family === 6 && ip.region === name) !== index
  )
}

/** Reads PICKET_STATIC_IPS. */
export function parseStaticIps(text: string): { value: readonly StaticIp[] } | { allowed: string } {
  const items = text.split(/[\s,]+/).filter((item) => item !== '')
  const ips = items.map(parseItem).filter((ip) => ip !== null)
  const wrong = items.length > most || ips.length < items.length || ips.some(isDouble)
  return wrong ? { allowed } : { value: ips }
}
