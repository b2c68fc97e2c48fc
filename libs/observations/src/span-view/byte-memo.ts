// Caches results by small byte values, because exporters send the same values with every span.
import { ByteDictionary, type ByteSource } from '@svc-server/column-store/native'

/** Bounds the cache, because a client may send any number of values of any length. */
const mostKept = 1000
const longestKept = 256

export class ByteMemo<T> {
  readonly #make: (source: ByteSource, start: number, end: number) => T
  readonly #keys = new ByteDictionary()
  readonly #values: T[] = []

  /** `make` must depend only on the bytes. */
  constructor(make: (source: ByteSource, start: number, end: number) => T) {
    this.#make = make
  }

  of(source: ByteSource, start: number, end: number): T {
    if (end - start > longestKept) return this.#make(source, start, end)
    const known = this.#keys.find(source, start, end)
    if (known >= 0) return this.#values[known]!
    const value = this.#make(source, start, end)
    if (this.#keys.size === mostKept) {
      this.#keys.clear()
      this.#values.length = 0
    }
    this.#values[this.#keys.add(source, start, end)] = value
    return value
  }
}
