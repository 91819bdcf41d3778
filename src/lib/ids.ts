import { hash, randomBytes, randomUUID } from 'node:crypto'

/** The same parts always give the same id: a UUID (version 8) over SHA-256. */
export function hashId(...parts: readonly (string | number)[]): string {
  const hex = hash('sha256', JSON.stringify(parts))
  // Its top two bits say that it is a UUID of RFC 9562.
  const variant = '89ab'[Number.parseInt(hex.slice(16, 17), 16) & 3]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

const timeHexDigits = 12

/**
 * As hashId, and ids of a time lie beside each other in an index: the first 48 bits are `at`, epoch milliseconds. A database
 * then writes the same few pages of an index for all that is made at one time, where chance would touch one for each.
 */
export function orderedId(at: number, ...parts: readonly (string | number)[]): string {
  const time = at.toString(16).padStart(timeHexDigits, '0').slice(-timeHexDigits)
  return inPlaceOf(time, hashId(at, ...parts))
}

/** As orderedId, of the time of another id. */
export function idBeside(id: string, ...parts: readonly (string | number)[]): string {
  return inPlaceOf(id.slice(0, 8) + id.slice(9, 13), hashId(id, ...parts))
}

const inPlaceOf = (time: string, id: string): string => `${time.slice(0, 8)}-${time.slice(8)}${id.slice(13)}`

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
