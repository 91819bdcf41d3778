import { createHash, randomBytes, randomUUID } from 'node:crypto'

/** The same parts always give the same id: a UUID (version 8) over SHA-256. */
export function hashId(...parts: readonly (string | number)[]): string {
  const bytes = createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

export function newId(): string {
  return randomUUID()
}

/** A key of 192 random bits behind a prefix that tells what it opens, such as `pl_`. */
export function newKey(prefix: string): string {
  return prefix + randomBytes(24).toString('base64url')
}

/** What is stored of a key. A fast hash is enough: the key itself is random, not chosen by a person. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

const shownTail = 4

/** `****abcd`: all that may be shown of a key after it was made. */
export function maskKey(key: string): string {
  return `****${key.slice(-shownTail)}`
}
