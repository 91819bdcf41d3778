import { hash, randomBytes, randomUUID } from 'node:crypto'

/** The same parts always give the same id: a UUID (version 8) over SHA-256. */
export function hashId(...parts: readonly (string | number)[]): string {
  const hex = hash('sha256', JSON.stringify(parts))
  // Its top two bits say that it is a UUID of RFC 9562.
  const variant = '89ab'[Number.parseInt(hex.slice(16, 17), 16) & 3]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
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
  return hash('sha256', key)
}

const shownTail = 4

/** `****abcd`: all that may be shown of a key after it was made. */
export function maskKey(key: string): string {
  return `****${key.slice(-shownTail)}`
}
