import { type Static, Type } from 'typebox'
import { assertionOver } from '../../assertion.ts'
import { OneOf, Text } from '../../schema.ts'

/** semantics §1 */
const sources = ['RESPONSE_TIME', 'RESPONSE_CODE', 'TEXT_ANSWER', 'JSON_ANSWER'] as const
const recordTypes = ['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'SOA', 'NS'] as const

export const DnsRequest = Type.Object({
  query: Text({ minLength: 1, maxLength: 253, description: 'the whole name: no search domain is added' }),
  recordType: OneOf(recordTypes),
  protocol: OneOf(['UDP', 'TCP'], { default: 'UDP' }),
  /** Together with `port`, or neither: then the resolvers of the agent are asked. */
  nameServer: Type.Optional(
    Text({ maxLength: 253, description: 'with port, or neither: then the resolvers of the agent are asked' }),
  ),
  port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535 })),
  assertions: Type.Array(assertionOver(sources), { default: [], maxItems: 100 }),
})
export type DnsRequest = Static<typeof DnsRequest>
