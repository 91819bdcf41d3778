import { type Static, Type } from 'typebox'
import { TriedAddress } from '../../connection.ts'
import { Nullable, OneOf } from '../../schema.ts'
import { ipFamilies } from '../ip-families.ts'

const maxPings = 50

const milliseconds = Type.Number({ minimum: 0, description: 'ms, to the microsecond' })

const PingResult = Type.Object({
  sequence: Type.Integer({ minimum: 1, description: 'from 1' }),
  success: Type.Boolean({ description: 'false: no reply came within 2 s' }),
  rtt: Nullable(milliseconds, { description: 'null without a reply' }),
  ttl: Nullable(Type.Integer({ minimum: 0, maximum: 255, description: 'of the reply, or its hop limit' })),
})

/** Of the replies; `stdDev` of them all, not of a sample. */
export const Latency = Type.Object({
  avg: milliseconds,
  min: milliseconds,
  max: milliseconds,
  stdDev: milliseconds,
})
export type Latency = Static<typeof Latency>

/** Who said that echo requests do not arrive, and why. */
const Refusal = Type.Object({
  code: Type.String({
    description: "the system's own, as EHOSTUNREACH; TTL_EXCEEDED where a packet goes round",
  }),
  from: Nullable(Type.String({ description: "a router's or the target's address; null for this machine" })),
  count: Type.Integer({ minimum: 1 }),
})

/** How far a ping came (semantics §3). */
export const IcmpEvidence = Type.Object({
  hostname: Type.String(),
  resolvedIp: Nullable(Type.String({ description: 'null where the host has no address' })),
  ipFamily: OneOf(ipFamilies),
  pingCount: Type.Integer({ minimum: 1, maximum: maxPings, description: 'asked for' }),
  packetsSent: Type.Integer({
    minimum: 0,
    maximum: maxPings,
    description: 'those left out that had no time for their reply',
  }),
  packetsReceived: Type.Integer({ minimum: 0, maximum: maxPings }),
  packetSize: Type.Integer({ minimum: 0, description: 'bytes of one ICMP message, its header included' }),
  packetLoss: Nullable(
    Type.Number({
      minimum: 0,
      maximum: 100,
      description: 'percent, to a hundredth; null where none was sent',
    }),
  ),
  latency: Nullable(Latency, { description: 'null without a reply' }),
  pingResults: Type.Array(PingResult, { maxItems: maxPings }),
  refusals: Type.Array(Refusal, { maxItems: 10 }),
  addresses: Type.Array(TriedAddress, {
    maxItems: 100,
    description: 'one is pinged; the others before it were refused by the egress policy',
  }),
})
export type IcmpEvidence = Static<typeof IcmpEvidence>

/** At least one reply came. */
export const IcmpObservation = Type.Object({
  ...IcmpEvidence.properties,
  resolvedIp: Type.String(),
  packetLoss: Type.Number({ minimum: 0, maximum: 100, description: 'percent, to a hundredth' }),
  latency: Latency,
})
export type IcmpObservation = Static<typeof IcmpObservation>
