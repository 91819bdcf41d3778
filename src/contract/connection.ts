import { type Static, Type } from 'typebox'
import { EpochMs, Micros, Nullable, OneOf } from './schema.ts'

/** abandoned: another address was faster, or the attempt was cut off; forbidden: the egress policy refused it. */
const fates = ['connected', 'failed', 'abandoned', 'forbidden'] as const

/** An address that was tried, and what became of it. */
export const TriedAddress = Type.Object({
  address: Type.String(),
  fate: OneOf(fates),
  code: Nullable(Type.String({ description: "the system's own, as ECONNREFUSED; null unless it failed" })),
  tookUs: Micros,
})
export type TriedAddress = Static<typeof TriedAddress>

export const TlsFacts = Type.Object({
  protocol: Type.String(),
  cipher: Type.String(),
  alpn: Nullable(Type.String({ description: 'the protocol agreed on; null where the target chose none' })),
  daysRemaining: Nullable(Type.Integer({ description: 'until the first certificate of the chain expires' })),
  firstExpiryAt: Type.Optional(Nullable(EpochMs, { description: 'when it does' })),
})
export type TlsFacts = Static<typeof TlsFacts>
