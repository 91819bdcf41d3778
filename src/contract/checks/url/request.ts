import { type Static, Type } from 'typebox'
import { assertionOf } from '../../assertion.ts'
import { OneOf, Text } from '../../schema.ts'
import { ipFamilies } from '../ip-families.ts'

export const UrlRequest = Type.Object({
  method: OneOf(['GET'], { default: 'GET' }),
  url: Text({ minLength: 1, maxLength: 2048 }),
  followRedirects: Type.Boolean({ default: true }),
  skipSSL: Type.Boolean({ default: false }),
  ipFamily: OneOf(ipFamilies, { default: 'IPv4' }),
  /** semantics §1 */
  assertions: Type.Array(
    assertionOf(['STATUS_CODE'], ['EQUALS', 'NOT_EQUALS', 'LESS_THAN', 'GREATER_THAN']),
    { default: [], maxItems: 100 },
  ),
})
export type UrlRequest = Static<typeof UrlRequest>
