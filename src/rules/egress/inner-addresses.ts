import ipaddr from 'ipaddr.js'
import { type IpAddress, type IpNetwork, isWithin, knownNetwork } from './ip-network.ts'

/** How IPv6 addresses of one kind lead to a host of IPv4. */
interface Wrapping {
  readonly networks: readonly IpNetwork[]
  /** For each IPv4 address that may be within, where its four bytes stand. */
  readonly places: readonly (readonly number[])[]
  /** It is the same host by another name; otherwise a gateway may lead there. */
  readonly same: boolean
  /** The bytes are stored inverted. */
  readonly inverted?: true
}

const last = [12, 13, 14, 15]

/** No gateway leads to 0.0.0.0/8; it is what zeros look like where another part of an address is read as IPv4. */
const unroutable = 0

const wrappings: readonly Wrapping[] = [
  // IPv4-mapped (RFC 4291 §2.5.5.2), which the system itself sends as IPv4, and the well-known prefix of NAT64 (RFC 6052).
  { networks: ['::ffff:0:0/96', '64:ff9b::/96'].map(knownNetwork), places: [last], same: true },
  // IPv4-compatible (RFC 4291 §2.5.5.1) and IPv4-translated (RFC 2765).
  { networks: ['::/96', '::ffff:0:0:0/96'].map(knownNetwork), places: [last], same: false },
  // NAT64 with a prefix of the network's own length (RFC 8215); byte 8 is never used (RFC 6052 §2.2).
  {
    networks: [knownNetwork('64:ff9b:1::/48')],
    places: [last, [6, 7, 9, 10], [7, 9, 10, 11], [9, 10, 11, 12]],
    same: false,
  },
  // 6to4 (RFC 3056).
  { networks: [knownNetwork('2002::/16')], places: [[2, 3, 4, 5]], same: false },
  // Teredo (RFC 4380): its server, and the client behind it.
  { networks: [knownNetwork('2001::/32')], places: [[4, 5, 6, 7]], same: false },
  { networks: [knownNetwork('2001::/32')], places: [last], same: false, inverted: true },
]

export interface InnerAddress extends Pick<Wrapping, 'same'> {
  readonly address: ipaddr.IPv4
}

/** The addresses of IPv4 that an address of IPv6 may lead to: mapped, translated and tunnelled ones. */
export function innerAddresses(address: IpAddress): InnerAddress[] {
  if (!(address instanceof ipaddr.IPv6) || isThisHost(address)) return []
  const bytes = address.toByteArray()
  const found = wrappings
    .filter(({ networks }) => isWithin(address, networks))
    .flatMap(({ places, same, inverted }) =>
      places.map((place) => ({ address: read(bytes, place, inverted ?? false), same })),
    )
  if (isIsatap(bytes)) found.push({ address: read(bytes, last, false), same: false })
  return found.filter(({ address: inner, same }) => same || inner.octets[0] !== unroutable)
}

/** `::` and `::1` look like IPv4-compatible ones. */
function isThisHost({ parts }: ipaddr.IPv6): boolean {
  return parts.slice(0, 7).every((part) => part === 0) && (parts[7] ?? 0) <= 1
}

/** RFC 5214 §6.1: known by the second half, whatever the net. */
function isIsatap(bytes: readonly number[]): boolean {
  const [first = 0, ...rest] = bytes.slice(8, 12)
  return (first & 0xfd) === 0 && rest.join() === '0,94,254'
}

function read(bytes: readonly number[], place: readonly number[], inverted: boolean): ipaddr.IPv4 {
  return new ipaddr.IPv4(place.map((at) => (bytes[at] ?? 0) ^ (inverted ? 0xff : 0)))
}
