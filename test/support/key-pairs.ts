import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'

const pem = (name: string) => readFileSync(new URL(`certificates/${name}.pem`, import.meta.url), 'utf8')

/** See certificates/README.md. */
export const keyPair = { ca: pem('ca'), cert: pem('valid'), expired: pem('expired'), key: pem('server-key') }
export const passphrase = 'open-sesame-9417'

/** The same key under a passphrase, in the form of PKCS #8 or in the traditional one. */
export const encryptedKey = (type: 'pkcs8' | 'sec1'): string =>
  createPrivateKey(keyPair.key).export({ type, format: 'pem', cipher: 'aes-256-cbc', passphrase }).toString()

/** The body of a create operation, with no more than is needed. */
export const clientCertificateBody = (overrides: Record<string, unknown> = {}): Record<string, unknown> => ({
  host: 'shop.example',
  cert: keyPair.cert,
  key: keyPair.key,
  ...overrides,
})

const tlv = (tag: number, ...parts: Buffer[]): Buffer => {
  const content = Buffer.concat(parts)
  const length = content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}
const sequence = (...parts: Buffer[]) => tlv(0x30, ...parts)
const oid = (hex: string) => tlv(0x06, Buffer.from(hex, 'hex'))
const octets = (length: number) => tlv(0x04, Buffer.alloc(length, 7))
const integer = (value: number) => {
  const hex = value.toString(16)
  return tlv(0x02, Buffer.from(hex.padStart(hex.length + 2 + (hex.length % 2), '0'), 'hex'))
}

const kdfs = { pbkdf2: '2a864886f70d01050c', scrypt: '2b06010401da47040b' }

/** A private key in PKCS #8 that nobody can open, and that asks for as much work as `numbers` say. */
export function costlyKey(kdf: keyof typeof kdfs, numbers: readonly number[], label = 'ENCRYPTED '): string {
  const derivation = sequence(oid(kdfs[kdf]), sequence(octets(16), ...numbers.map(integer)))
  const cipher = sequence(oid('60864801650304012a'), octets(16))
  const algorithm = sequence(oid('2a864886f70d01050d'), sequence(derivation, cipher))
  const base64 = sequence(algorithm, octets(144)).toString('base64').replaceAll(/.{64}/g, '$&\n')
  return `-----BEGIN ${label}PRIVATE KEY-----\n${base64}\n-----END ${label}PRIVATE KEY-----\n`
}
