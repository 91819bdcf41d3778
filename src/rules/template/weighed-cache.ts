export interface WeighedCacheOptions<V> {
  /** `make` must not throw. */
  readonly make: (key: string) => V
  readonly weigh: (key: string, value: V) => number
  readonly maxWeight: number
}

/** Remembers what `make` gave for the keys that were asked for last, as many as weigh no more together than is allowed. */
export function weighedCache<V>({ make, weigh, maxWeight }: WeighedCacheOptions<V>): (key: string) => V {
  const entries = new Map<string, { readonly value: V; readonly weight: number }>()
  let weight = 0
  const add = (key: string) => {
    const value = make(key)
    const entry = { value, weight: weigh(key, value) }
    weight += entry.weight
    return entry
  }
  return (key) => {
    const entry = entries.get(key) ?? add(key)
    // A map keeps the order of insertion: put last again, the first is the one that waited longest.
    entries.delete(key)
    entries.set(key, entry)
    for (const [oldest, { weight: freed }] of entries) {
      if (weight <= maxWeight) break
      entries.delete(oldest)
      weight -= freed
    }
    return entry.value
  }
}
