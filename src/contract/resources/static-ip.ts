import { type Static, Type } from 'typebox'

const inOrder = { description: 'in the order of the setting' }

/** IPv4: single addresses. IPv6: nets, such as `2001:db8::/64`. */
export const IpList = Type.Array(Type.String(), inOrder)
/** By region, IPv4. */
export const IpsByRegion = Type.Record(Type.String(), Type.Array(Type.String()))
/** By region, IPv6: clients expect one net, not a list. */
export const Ipv6ByRegion = Type.Record(Type.String(), Type.String())
export type Ipv6ByRegion = Static<typeof Ipv6ByRegion>
export type IpsByRegion = Static<typeof IpsByRegion>
