import { hashKey, maskKey, newId, newKey } from '../../lib/ids.ts'

/** A key that opens something private to whoever is given it; only its hash is kept. */
export interface ViewKey {
  readonly id: string
  readonly hash: string
  readonly masked: string
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** A key that was made just now: the only time that its text is there. */
export interface FreshViewKey {
  readonly rawKey: string
  readonly key: ViewKey
}

/** `prefix` tells what the key opens, such as `sp_`. */
export function freshViewKey(prefix: string, now: number): FreshViewKey {
  const rawKey = newKey(prefix)
  return { rawKey, key: { id: newId(), hash: hashKey(rawKey), masked: maskKey(rawKey), createdAt: now } }
}

/**
 * What is private keeps its keys, or those of the ids that are named; it gets the fresh one when it would have none, and
 * loses them all when it is private no longer.
 */
export function viewKeysFor(
  isPrivate: boolean,
  stored: readonly ViewKey[],
  fresh: ViewKey,
  named?: readonly string[],
): readonly ViewKey[] {
  if (!isPrivate) return []
  const kept = named ? stored.filter(({ id }) => named.includes(id)) : stored
  return kept.length > 0 ? kept : [fresh]
}
