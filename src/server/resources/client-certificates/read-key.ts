import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { Fault } from '../../../lib/find-faults.ts'
import { openingCost } from './opening-cost.ts'

export type KeyRead =
  | { readonly kind: 'key'; readonly key: KeyObject }
  | { readonly kind: 'fault'; readonly fault: Fault }

/** About half a second of work. Common tools ask for 2,048 to 600,000. */
const maxOpeningCost = 2_000_000

const keyBlock = /-----BEGIN ([A-Z0-9]* ?)PRIVATE KEY-----/g
const pkcs8 = /-----BEGIN (?:ENCRYPTED )?PRIVATE KEY-----([A-Za-z0-9+/\s]+={0,2}\s*)-----END/
const traditional = /-----BEGIN (?:RSA|EC|DSA) PRIVATE KEY-----/

const fault = (path: string, text: string): KeyRead => ({ kind: 'fault', fault: { path, text } })
const unreadable = fault('key', '"key" must be one private key in PEM')

/** Null when it is not a key whose cost can be known. The traditional form always takes one round. */
function costOf(pem: string): number | null {
  if (pem.match(keyBlock)?.length !== 1) return null
  if (traditional.test(pem)) return 0
  const [, body] = pkcs8.exec(pem) ?? []
  if (body === undefined) return null
  try {
    return openingCost(Buffer.from(body, 'base64'))
  } catch {
    return null
  }
}

const isEncrypted = (pem: string, cost: number): boolean => cost > 0 || pem.includes('Proc-Type: 4,ENCRYPTED')

/** Opens a private key in PEM, with its passphrase where it has one. */
export function readKey(pem: string, passphrase: string | null): KeyRead {
  const cost = costOf(pem)
  if (cost === null) return unreadable
  if (cost > maxOpeningCost)
    return fault('key', `"key" must be encrypted with at most ${maxOpeningCost} rounds, was ${cost}`)
  const encrypted = isEncrypted(pem, cost)
  if (encrypted && !passphrase) return fault('passphrase', '"passphrase" is required: "key" is encrypted')
  try {
    return { kind: 'key', key: createPrivateKey({ key: pem, passphrase: passphrase ?? '' }) }
  } catch {
    return encrypted ? fault('passphrase', '"passphrase" does not open "key"') : unreadable
  }
}
