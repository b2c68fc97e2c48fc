// Caches full names of metadata, so that each name is built only once per block.
import { type ByteDictionary, type ByteWriter, sourceOf } from '@svc-server/column-store/native'
import { scratchWriter } from '../../span-view/render-text.ts'
import type { LeafNames } from './leaf.ts'

export class NameCache {
  readonly #prefix: Uint8Array
  readonly #names: LeafNames
  /** Maps a key's number to 1 plus the index of the key's full name. The value 0 means that the name is not cached yet. */
  #indexes = new Int32Array(1024)
  readonly #path = scratchWriter()

  constructor(prefix: string, names: LeafNames) {
    this.#prefix = sourceOf(prefix).bytes
    this.#names = names
  }

  clear(): void {
    this.#indexes.fill(0)
  }

  writePath(path: ByteWriter, keys: ByteDictionary, key: number): void {
    path.rewind()
    path.raw(this.#prefix, 0, this.#prefix.length)
    keys.writeTo(path, key)
  }

  indexOf(keys: ByteDictionary, key: number): number {
    if (key >= this.#indexes.length) {
      const grown = new Int32Array(Math.max(this.#indexes.length * 2, key + 1))
      grown.set(this.#indexes)
      this.#indexes = grown
    }
    const known = this.#indexes[key]!
    if (known !== 0) return known - 1
    this.writePath(this.#path, keys, key)
    const index = this.#names.indexOf(this.#path, 0, this.#path.length)
    this.#indexes[key] = index + 1
    return index
  }
}
