import { type Static, Type } from 'typebox'
import { assertionOver } from '../../assertion.ts'
import { Nullable, OneOf, Text } from '../../schema.ts'
import { ipFamilies } from '../ip-families.ts'

export const TcpRequest = Type.Object({
  hostname: Text({ minLength: 1, maxLength: 2048, description: 'a name or an address, no URL' }),
  port: Type.Integer({ minimum: 1, maximum: 65_535 }),
  data: Nullable(Type.String({ maxLength: 1_048_576 }), {
    default: null,
    description: 'sent as it is once connected: nothing is added, no line end either',
  }),
  ipFamily: OneOf(ipFamilies, { default: 'IPv4' }),
  /** semantics §1 */
  assertions: Type.Array(assertionOver(['RESPONSE_DATA', 'RESPONSE_TIME']), { default: [], maxItems: 100 }),
})
export type TcpRequest = Static<typeof TcpRequest>
