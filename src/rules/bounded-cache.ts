/** Remembers what `make` gave for the `maxEntries` keys that were asked for last. `make` must not throw. */
export function boundedCache<V>(maxEntries: number, make: (key: string) => V): (key: string) => V {
  const entries = new Map<string, { readonly value: V }>()
  return (key) => {
    const entry = entries.get(key) ?? { value: make(key) }
    // A map keeps the order of insertion: put last again, the first is the one that waited longest.
    entries.delete(key)
    entries.set(key, entry)
    if (entries.size > maxEntries) evictFirst(entries)
    return entry.value
  }
}

function evictFirst(entries: Map<string, unknown>): void {
  for (const first of entries.keys()) {
    entries.delete(first)
    return
  }
}
