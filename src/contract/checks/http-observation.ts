import { type Static, Type } from 'typebox'
import { TlsFacts, TriedAddress } from '../connection.ts'
import { Nullable } from '../schema.ts'
import { HopTimings } from '../timings.ts'

/** What was put on the wire; sensitive headers are scrubbed before it leaves the agent. */
export const SentRequest = Type.Object({
  method: Type.String(),
  url: Type.String(),
  headers: Type.Record(Type.String(), Type.String()),
  body: Type.String(),
})
export type SentRequest = Static<typeof SentRequest>

/** What came back. `body` is the text up to the stored cap; null for a binary body. */
export const ReceivedResponse = Type.Object({
  status: Type.Integer(),
  statusText: Type.String(),
  httpVersion: Type.String(),
  headers: Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())])),
  body: Nullable(Type.String()),
  bodyBytes: Type.Integer({ minimum: 0, description: 'after decompression, before any cap' }),
  truncated: Type.Boolean({ description: 'the stored or read body ends at a cap' }),
})
export type ReceivedResponse = Static<typeof ReceivedResponse>

/** One request of a redirect chain, the last one included. */
export const Hop = Type.Object({
  method: Type.String(),
  url: Type.String(),
  status: Nullable(Type.Integer()),
  remoteAddress: Nullable(
    Type.String({
      description: "the target's own address; null through a proxy, and where no connection was made",
    }),
  ),
  addresses: Type.Array(TriedAddress, {
    maxItems: 100,
    description: "every address that was tried, in its order; a proxy's own where there is one",
  }),
  tls: Nullable(TlsFacts),
  timings: HopTimings,
})
export type Hop = Static<typeof Hop>

/** How far an exchange came: of a failed attempt, only what it reached. */
export const HttpEvidence = Type.Object({
  request: SentRequest,
  response: Nullable(ReceivedResponse),
  hops: Type.Array(Hop, { maxItems: 100 }),
  tls: Nullable(TlsFacts),
})
export type HttpEvidence = Static<typeof HttpEvidence>

export const HttpObservation = Type.Object({
  request: SentRequest,
  response: ReceivedResponse,
  hops: Type.Array(Hop, { maxItems: 100 }),
  tls: Nullable(TlsFacts),
})
export type HttpObservation = Static<typeof HttpObservation>
