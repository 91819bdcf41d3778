import { parseNetwork } from '../../rules/egress/ip-network.ts'

const most = 100
const names: readonly string[] = ['loopback', 'linklocal', 'uniquelocal']
const allowed = `a list of at most ${most} addresses and CIDR blocks such as 10.0.0.5, 192.168.0.0/16, or of ${names.join(', ')}`

const isProxy = (item: string): boolean =>
  names.includes(item) || (!item.includes('%') && (parseNetwork(item)?.[1] ?? 0) > 0)

/** Reads PICKET_TRUST_PROXY. A block of all addresses is refused: whoever comes could say that they are another. */
export function parseTrustedProxies(text: string): { value: readonly string[] } | { allowed: string } {
  const items = text.split(/[\s,]+/).filter((item) => item !== '')
  return items.length <= most && items.every(isProxy) ? { value: items } : { allowed }
}
