// The least recently used entries of a map, at most so many.

export interface BoundedCache<V> {
  get(key: string): V | undefined
  set(key: string, value: V): void
  delete(key: string): void
  /** Removes what the predicate holds for. */
  deleteWhere(predicate: (value: V) => boolean): void
  readonly size: number
}

export const createBoundedCache = <V>(maxEntries: number): BoundedCache<V> => {
  // A Map iterates in order of insertion: to use an entry is to insert it again.
  const entries = new Map<string, V>()
  return {
    get(key) {
      const value = entries.get(key)
      if (value === undefined) return undefined
      entries.delete(key)
      entries.set(key, value)
      return value
    },
    set(key, value) {
      entries.delete(key)
      entries.set(key, value)
      if (entries.size <= maxEntries) return
      const oldest = entries.keys().next()
      if (!oldest.done) entries.delete(oldest.value)
    },
    delete: key => void entries.delete(key),
    deleteWhere(predicate) {
      for (const [key, value] of entries) if (predicate(value)) entries.delete(key)
    },
    get size() {
      return entries.size
    },
  }
}
