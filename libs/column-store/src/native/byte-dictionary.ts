// Assigns a number to each distinct byte string, such as an attribute key, without creating JavaScript strings.
import { randomInt } from 'node:crypto'
import type { ByteSource } from './byte-source.ts'
import type { ByteWriter } from './byte-writer.ts'

// The seed is random, so that clients cannot guess it. The hash is fast but weak: some keys have equal hashes, whatever the seed is.
// It is rare that many keys have equal hashes by chance. Of keys with equal hashes, only the first `mostAlike` are in the hash table. The
// others are in a JavaScript Map.
const seed = randomInt(2 ** 32 - 1)
const mostAlike = 16
/** Up to this length, copying byte by byte is cheaper than creating a view. */
const tinyBytes = 24

function hashOf(source: ByteSource, start: number, end: number): number {
  let h = seed ^ (end - start)
  if (end - start < 4) {
    for (let i = start; i < end; i++) h = Math.imul(h ^ source.bytes[i]!, 0x5bd1e995)
  } else {
    const last = end - 4
    for (let i = start; i < last; i += 4) {
      h = Math.imul(h ^ source.view.getInt32(i, true), 0x5bd1e995)
      h ^= h >>> 15
    }
    h = Math.imul(h ^ source.view.getInt32(last, true), 0x5bd1e995)
  }
  h ^= h >>> 13
  h = Math.imul(h, 0x85ebca6b)
  return h ^ (h >>> 16)
}

const grown = <T extends Int32Array | Uint8Array>(array: T, length: number): T => {
  const next = new (array.constructor as new (length: number) => T)(length)
  next.set(array)
  return next
}

const textOf = (bytes: Uint8Array, start: number, end: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1')

export class ByteDictionary {
  size = 0
  /** All entries as String values (length, bytes). */
  #bytes = new Uint8Array(1024)
  #view = new DataView(this.#bytes.buffer)
  #used = 0
  #ends = new Int32Array(64)
  #lengths = new Int32Array(64)
  #hashes = new Int32Array(64)
  /** A hash table with open addressing, which is at most half full. A slot contains the number of its entry plus 1, or 0 if it is empty. */
  #table = new Int32Array(128)
  /**
   * Numbers of the entries that are not in the hash table, by text. If more than `mostAlike` entries have equal hashes, the hash table
   * contains only the first `mostAlike` of these entries, and this map contains the others.
   */
  #alike: Map<string, number> | undefined

  /** Returns all entries as the bytes of a String column. */
  get encoded(): Uint8Array {
    return this.#bytes.subarray(0, this.#used)
  }

  /** Returns -1 if the entry is missing. */
  find(source: ByteSource, start: number, end: number): number {
    return this.#probe(source, start, end, hashOf(source, start, end))
  }

  /** A new entry gets the next number. */
  add(source: ByteSource, start: number, end: number): number {
    const hash = hashOf(source, start, end)
    const found = this.#probe(source, start, end, hash)
    return found >= 0 ? found : this.#insert(source, start, end, hash)
  }

  #probe(source: ByteSource, start: number, end: number, hash: number): number {
    const table = this.#table
    const mask = table.length - 1
    const n = end - start
    let alike = 0
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const entry = table[at]! - 1
      if (entry < 0) return -1
      if (this.#hashes[entry] !== hash) continue
      if (this.#lengths[entry] === n && this.#equals(entry, source, start, n)) return entry
      if (++alike === mostAlike) return this.#alike?.get(textOf(source.bytes, start, end)) ?? -1
    }
  }

  equals(entry: number, source: ByteSource, start: number, end: number): boolean {
    return this.#lengths[entry] === end - start && this.#equals(entry, source, start, end - start)
  }

  #equals(entry: number, source: ByteSource, start: number, n: number): boolean {
    const at = this.#ends[entry]! - n
    if (n < 4) {
      for (let i = 0; i < n; i++) if (this.#bytes[at + i] !== source.bytes[start + i]) return false
      return true
    }
    const own = this.#view
    const { view } = source
    const last = n - 4
    // The last bytes are compared first, because names usually differ at their end.
    if (own.getInt32(at + last) !== view.getInt32(start + last)) return false
    for (let i = 0; i < last; i += 4) if (own.getInt32(at + i) !== view.getInt32(start + i)) return false
    return true
  }

  #insert(source: ByteSource, start: number, end: number, hash: number): number {
    const entry = this.size++
    const n = end - start
    if (entry === this.#ends.length) {
      this.#ends = grown(this.#ends, entry * 2)
      this.#lengths = grown(this.#lengths, entry * 2)
      this.#hashes = grown(this.#hashes, entry * 2)
    }
    if (this.#used + n + 5 > this.#bytes.length) {
      this.#bytes = grown(this.#bytes, Math.max(this.#bytes.length * 2, this.#used + n + 5))
      this.#view = new DataView(this.#bytes.buffer)
    }
    let length = n
    for (; length > 0x7f; length >>>= 7) this.#bytes[this.#used++] = (length & 0x7f) | 0x80
    this.#bytes[this.#used++] = length
    if (n > tinyBytes) this.#bytes.set(source.bytes.subarray(start, end), this.#used)
    else for (let i = 0; i < n; i++) this.#bytes[this.#used + i] = source.bytes[start + i]!
    this.#used += n
    this.#ends[entry] = this.#used
    this.#lengths[entry] = n
    this.#hashes[entry] = hash
    if (this.size * 2 > this.#table.length) this.#rehash()
    else this.#place(entry, hash)
    return entry
  }

  #place(entry: number, hash: number): void {
    const table = this.#table
    const mask = table.length - 1
    let at = hash & mask
    let alike = 0
    for (; table[at] !== 0; at = (at + 1) & mask) {
      if (this.#hashes[table[at]! - 1] !== hash || ++alike < mostAlike) continue
      const end = this.#ends[entry]!
      this.#alike ??= new Map()
      this.#alike.set(textOf(this.#bytes, end - this.#lengths[entry]!, end), entry)
      return
    }
    table[at] = entry + 1
  }

  #rehash(): void {
    this.#table = new Int32Array(this.#table.length * 2)
    for (let entry = 0; entry < this.size; entry++) this.#place(entry, this.#hashes[entry]!)
  }

  /** Writes the bytes of an entry, without a length before the bytes. */
  writeTo(out: ByteWriter, entry: number): void {
    const end = this.#ends[entry]!
    out.raw(this.#bytes, end - this.#lengths[entry]!, end)
  }

  /** Empties the dictionary. If the dictionary has grown beyond its usual size, also frees its memory. */
  clear(): void {
    this.size = 0
    this.#used = 0
    this.#alike = undefined
    if (this.#table.length > 65_536) this.#table = new Int32Array(128)
    else this.#table.fill(0)
    if (this.#bytes.length > 1 << 20) {
      this.#bytes = new Uint8Array(1024)
      this.#view = new DataView(this.#bytes.buffer)
    }
  }
}
