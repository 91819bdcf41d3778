import { type Static, Type } from 'typebox'
import { Nullable, Text } from '../schema.ts'
import { DateTimeText } from '../wire-time.ts'

const Pem = (maxLength: number) => Text({ minLength: 1, maxLength, description: 'PEM' })
const Ca = Nullable(Text({ maxLength: 262_144, description: 'PEM, any number of certificates' }), {
  default: null,
})

export const ClientCertificateCreate = Type.Object({
  host: Text({ minLength: 1, maxLength: 255, description: 'a host name, an IP address, or *.example.com' }),
  cert: Pem(65_536),
  key: Pem(32_768),
  passphrase: Nullable(Text({ maxLength: 1024 }), { default: null }),
  ca: Ca,
})
export type ClientCertificateCreate = Static<typeof ClientCertificateCreate>

/** Its key and passphrase are told to nobody. */
export const ClientCertificateResource = Type.Object({
  id: Type.String(),
  host: Type.String(),
  cert: Type.String(),
  ca: Nullable(Type.String()),
  created_at: DateTimeText,
})
export type ClientCertificateResource = Static<typeof ClientCertificateResource>
