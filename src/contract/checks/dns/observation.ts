import { type Static, Type } from 'typebox'
import { TriedAddress } from '../../connection.ts'
import { Nullable, OneOf } from '../../schema.ts'

/** A message over TCP is no longer, whatever came: 65,535 bytes hold no more records than this. */
const maxRecords = 6000

/** As `dig` writes a record; names end in a dot. The strings of a TXT record are one text, without quotes. */
const DnsRecord = Type.Object({
  name: Type.String(),
  type: Type.String({ description: 'A, MX, …; TYPE65 for one without a name' }),
  TTL: Type.Integer({ minimum: 0, description: 'seconds' }),
  data: Type.String(),
})
export type DnsRecord = Static<typeof DnsRecord>

const DnsQuestion = Type.Object({ name: Type.String(), type: Type.String() })

/** The answer as JSON: what JSON_ANSWER asserts on (semantics §3). */
export const DnsJson = Type.Object({
  Answer: Type.Array(DnsRecord, { maxItems: maxRecords }),
  Question: Type.Array(DnsQuestion, { maxItems: 1 }),
  Status: Type.String({ description: 'the response code: NOERROR, NXDOMAIN, …' }),
  TC: Type.Boolean(),
  RD: Type.Boolean(),
  RA: Type.Boolean(),
  AD: Type.Boolean(),
  CD: Type.Boolean(),
})
export type DnsJson = Static<typeof DnsJson>

export const DnsResponse = Type.Object({
  server: Type.String({ description: 'who answered: 192.0.2.1:53, [2001:db8::1]:53' }),
  protocol: OneOf(['UDP', 'TCP'], { description: 'TCP also where the answer was too long for UDP' }),
  bytes: Type.Integer({ minimum: 0, description: 'of the message' }),
  text: Type.String({ description: 'the answer section as dig writes it, a record a line' }),
  json: DnsJson,
  truncated: Type.Boolean({ description: 'the answer holds more than is kept' }),
})
export type DnsResponse = Static<typeof DnsResponse>

/** How far the asking came. */
export const DnsEvidence = Type.Object({
  question: DnsQuestion,
  nameServer: Nullable(Type.String({ description: "as it was asked for; null for the agent's resolvers" })),
  protocol: OneOf(['UDP', 'TCP'], { description: 'as it was asked for' }),
  addresses: Type.Array(TriedAddress, {
    maxItems: 100,
    description: 'every name server that was asked; connected: it answered',
  }),
  sent: Type.Integer({ minimum: 0, description: 'how often the question was sent' }),
  unfit: Type.Integer({ minimum: 0, description: 'datagrams that came and did not answer the question' }),
})
export type DnsEvidence = Static<typeof DnsEvidence>

export const DnsObservation = Type.Object({ ...DnsEvidence.properties, response: DnsResponse })
export type DnsObservation = Static<typeof DnsObservation>
