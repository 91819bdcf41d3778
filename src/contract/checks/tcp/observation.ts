import { type Static, Type } from 'typebox'
import { TriedAddress } from '../../connection.ts'
import { Nullable, OneOf } from '../../schema.ts'

/**
 * Why no more was read: the target ended its side; every assertion on the data was decided; it was silent for a while
 * after it had sent something; it sent more than is read; nothing was asserted on its data.
 */
const endings = ['target', 'decided', 'idle', 'limit', 'not-asked'] as const

/** What the target sent. Bytes that are no UTF-8 stand as U+FFFD. */
export const TcpReceived = Type.Object({
  data: Type.String(),
  dataBytes: Type.Integer({ minimum: 0 }),
  truncated: Type.Boolean({ description: 'more came than is read or kept' }),
  ending: OneOf(endings),
})
export type TcpReceived = Static<typeof TcpReceived>

/** How far a connection came: of a failed attempt, only what it reached. */
export const TcpEvidence = Type.Object({
  hostname: Type.String(),
  port: Type.Integer({ minimum: 0, maximum: 65_535 }),
  remoteAddress: Nullable(Type.String({ description: 'null where no connection was made' })),
  addresses: Type.Array(TriedAddress, {
    maxItems: 100,
    description: 'every address that was tried, in its order',
  }),
  sentBytes: Type.Integer({ minimum: 0 }),
  received: Nullable(TcpReceived),
})
export type TcpEvidence = Static<typeof TcpEvidence>

export const TcpObservation = Type.Object({ ...TcpEvidence.properties, received: TcpReceived })
export type TcpObservation = Static<typeof TcpObservation>
