import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  type KeyObject,
  randomBytes,
  scryptSync,
} from 'node:crypto'
import { AppError } from './app-error.ts'
import type { Secret } from './secret.ts'

const algorithm = 'aes-256-gcm'
/** In bytes, as all that follow. */
const keyLength = 32
const nonceLength = 12
const tagLength = 16
/** Names the form of what follows it: nonce, tag and ciphertext in base64url. */
const version = 'v1:'
/** The same everywhere: servers that share a database derive the same key, and what is long enough needs no other. */
const salt = 'picket: secrets at rest, v1'

/** Shorter ones could be guessed. */
export const shortestSecret = 32

/** Whether a text is in the form that `seal` gives. */
export const isSealed = (text: string): boolean => text.startsWith(version)

/** A text of 256 random bits that a Sealer can be made of. */
export const newSealingSecret = (): string => randomBytes(keyLength).toString('base64url')

/**
 * Encrypts texts (AES-256-GCM under a key that scrypt derives from `secret`) and binds each to an identity: the place
 * it is stored in. A sealed text that was changed, or that stands in another's place, does not open.
 */
export class Sealer {
  readonly #key: KeyObject

  constructor(secret: Secret) {
    this.#key = createSecretKey(scryptSync(secret.reveal(), salt, keyLength))
  }

  /** Never gives the same text twice. */
  seal(text: string, identity: readonly string[]): string {
    const nonce = randomBytes(nonceLength)
    const cipher = createCipheriv(algorithm, this.#key, nonce, { authTagLength: tagLength })
    cipher.setAAD(boundTo(identity))
    const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return version + Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString('base64url')
  }

  /** @throws AppError SECRET_UNREADABLE */
  open(sealed: string, identity: readonly string[]): string {
    try {
      return this.#decrypt(sealed, identity)
    } catch (cause) {
      throw new AppError(
        'SECRET_UNREADABLE',
        'A stored secret cannot be decrypted: it was changed, moved, or encrypted with another key',
        { cause },
      )
    }
  }

  #decrypt(sealed: string, identity: readonly string[]): string {
    if (!isSealed(sealed)) throw new Error('not in the form of a sealed text')
    const bytes = Buffer.from(sealed.slice(version.length), 'base64url')
    const tagEnd = nonceLength + tagLength
    const nonce = bytes.subarray(0, nonceLength)
    const decipher = createDecipheriv(algorithm, this.#key, nonce, { authTagLength: tagLength })
    decipher.setAAD(boundTo(identity))
    decipher.setAuthTag(bytes.subarray(nonceLength, tagEnd))
    return Buffer.concat([decipher.update(bytes.subarray(tagEnd)), decipher.final()]).toString('utf8')
  }
}

/** No two identities give the same bytes. */
const boundTo = (identity: readonly string[]): Buffer => Buffer.from(JSON.stringify(identity))
