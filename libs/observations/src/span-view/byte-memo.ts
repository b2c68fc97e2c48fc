// Caches what `make` returns for short byte values, because exporters repeat such values with every span.
import { ByteDictionary, type ByteSource } from '@svc-server/column-store/native'

/** A client can send any number of values of any length, so the cache has limits. */
const mostKept = 1000
const longestKept = 256

export class ByteMemo<T> {
  readonly #make: (source: ByteSource, start: number, end: number) => T
  readonly #keys = new ByteDictionary()
  readonly #values: T[] = []
  /** Index of the last result. New bytes are first compared with the key of this result, because comparing is cheaper than hashing. */
  #last = 0

  /** `make` must depend only on the bytes. */
  constructor(make: (source: ByteSource, start: number, end: number) => T) {
    this.#make = make
  }

  of(source: ByteSource, start: number, end: number): T {
    if (end - start > longestKept) return this.#make(source, start, end)
    if (this.#last < this.#keys.size && this.#keys.equals(this.#last, source, start, end)) return this.#values[this.#last]!
    const known = this.#keys.find(source, start, end)
    if (known >= 0) {
      this.#last = known
      return this.#values[known]!
    }
    const value = this.#make(source, start, end)
    if (this.#keys.size === mostKept) {
      this.#keys.clear()
      this.#values.length = 0
    }
    this.#last = this.#keys.add(source, start, end)
    this.#values[this.#last] = value
    return value
  }
}
