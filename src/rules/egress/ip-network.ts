import ipaddr from 'ipaddr.js'

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6
/** A net as (first address, length of its prefix in bits). */
export type IpNetwork = readonly [address: IpAddress, bits: number]

/**
 * An address as it is written in full: four decimal numbers, or IPv6 with or without a zone. Null for anything else, the
 * short, octal and hexadecimal forms of IPv4 included.
 */
export function parseAddress(text: string): IpAddress | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  return text.includes(':') && ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : null
}

/** `10.0.0.0/8`, `fd00::/8`, or a single address; null for anything else. */
export function parseNetwork(text: string): IpNetwork | null {
  const [address = '', bits, ...rest] = text.split('/')
  const parsed = parseAddress(address)
  if (!parsed || rest.length > 0) return null
  const length = parsed.kind() === 'ipv4' ? 32 : 128
  if (bits === undefined) return [parsed, length]
  return /^\d{1,3}$/.test(bits) && Number(bits) <= length ? [parsed, Number(bits)] : null
}

/** @throws TypeError for a text that is no net: it is written in the code. */
export function knownNetwork(text: string): IpNetwork {
  const network = parseNetwork(text)
  if (!network) throw new TypeError(`${text} is no net`)
  return network
}

/** Whether one of the nets holds the address; a net of the other family never does. */
export function isWithin(address: IpAddress, networks: readonly IpNetwork[]): boolean {
  return networks.some(([first, bits]) => first.kind() === address.kind() && address.match(first, bits))
}
