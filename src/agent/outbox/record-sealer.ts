import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
/** In bytes, as all that follow. */
const saltLength = 6
const nonceLength = 12
const tagLength = 16
/** No sealed text of another place opens as a record. */
const purpose = Buffer.from('picket: a record of the outbox, v1')

/** Encrypts what the outbox keeps (AES-256-GCM): nonce, tag and ciphertext. One that was changed does not open. */
export class RecordSealer {
  readonly #key: KeyObject
  /** A nonce is its own random bytes and a count: none comes twice, and no record waits for the source of randomness. */
  readonly #salt = randomBytes(saltLength)
  #count = 0

  /** @param key 32 bytes */
  constructor(key: Uint8Array) {
    this.#key = createSecretKey(key)
  }

  seal(text: string): Uint8Array {
    const nonce = Buffer.alloc(nonceLength, this.#salt)
    this.#count += 1
    nonce.writeUIntBE(this.#count, saltLength, nonceLength - saltLength)
    const cipher = createCipheriv(algorithm, this.#key, nonce, { authTagLength: tagLength })
    cipher.setAAD(purpose)
    const ciphertext = cipher.update(text, 'utf8')
    // Of this algorithm it adds no bytes.
    cipher.final()
    return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext])
  }

  /** Null for what this key did not seal, or what was changed since. */
  open(sealed: Uint8Array): string | null {
    try {
      const nonce = sealed.subarray(0, nonceLength)
      const decipher = createDecipheriv(algorithm, this.#key, nonce, { authTagLength: tagLength })
      decipher.setAAD(purpose)
      decipher.setAuthTag(sealed.subarray(nonceLength, nonceLength + tagLength))
      const text = decipher.update(sealed.subarray(nonceLength + tagLength))
      decipher.final()
      return text.toString('utf8')
    } catch {
      return null
    }
  }
}
