import { type Static, Type } from 'typebox'
import { assertionOver } from '../../assertion.ts'
import { OneOf, Text } from '../../schema.ts'
import { ipFamilies } from '../ip-families.ts'

export const IcmpRequest = Type.Object({
  hostname: Text({ minLength: 1, maxLength: 2048, description: 'a name or an address, no URL' }),
  ipFamily: OneOf(ipFamilies, { default: 'IPv4' }),
  pingCount: Type.Integer({ default: 10, minimum: 1, maximum: 50, description: 'one every 500 ms' }),
  /** semantics §1; the property of a LATENCY is one of min, max, avg and stddev */
  assertions: Type.Array(assertionOver(['LATENCY', 'JSON_RESPONSE']), { default: [], maxItems: 100 }),
})
export type IcmpRequest = Static<typeof IcmpRequest>
