import { type Static, Type } from 'typebox'
import { Nullable } from './schema.ts'

/** For hosts that ask who is calling: PEM texts, and the host pattern (`*.example.com`) that they are shown to (semantics §6). */
export const ClientCertificate = Type.Object({
  host: Type.String(),
  certificate: Type.String(),
  key: Type.String(),
  passphrase: Nullable(Type.String()),
  ca: Nullable(Type.String({ description: 'trusted besides the usual authorities, for these hosts' })),
})
export type ClientCertificate = Static<typeof ClientCertificate>
