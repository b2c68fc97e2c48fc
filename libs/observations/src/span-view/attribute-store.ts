// Stores attributes as numbers in typed arrays: the attributes of a span, of the span's resource, and of the span's scope. No attribute
// needs an object or a string.
import type { ByteSource } from '@svc-server/column-store/native'
import { shortLength, WireReader, wireType } from '@svc-server/otlp/wire'
import { readAnyValue, valueKind, type WireValue } from './any-value.ts'
import type { KeyTable } from './key-table.ts'
import { NumberMap } from './number-map.ts'
import { contentFlags } from './vocabulary.ts'

const grown = <T extends Uint8Array | Int32Array | Float64Array>(old: T, length: number): T => {
  const next = new (old.constructor as new (length: number) => T)(length)
  next.set(old)
  return next
}

/** Finds an entry by its key. The span, its resource and its scope have separate indexes. */
export class AttributeIndex extends NumberMap {
  constructor() {
    super(1024)
  }
}

/** Marks an attribute that a later attribute with the same key has replaced. */
export const deadKey = -1

const reader = new WireReader()

/** A resource, scope, or span, with the bytes of its attributes. */
export interface Attributed {
  readonly source: ByteSource
  readonly attributes: AttributeStore
}

export class AttributeStore implements WireValue {
  /** Entries are in wire order: first the resource's, then the scope's, then the span's. */
  length = 0
  keys = new Int32Array(256)
  /** The flags of each entry's key (see `keyFlag`). A replaced attribute has the flags 0. */
  flags = new Int32Array(256)
  kinds = new Uint8Array(256)
  starts = new Int32Array(256)
  ends = new Int32Array(256)
  numbers = new Float64Array(256)
  /** These four fields contain the value that was read last, until the store copies it to the arrays above. */
  kind = 0
  start = 0
  end = 0
  number = 0
  /** Combined flags of the span's keys. If a flag is not set, no search for keys with this flag is needed. */
  seenFlags = 0
  /** Number of attributes that can contain input or output. */
  contentCount = 0
  readonly table: KeyTable
  /**
   * For each key, the key that followed it in the previous span. Exporters send attributes in the same order in every span. After each key,
   * the reader therefore first compares the span's next key with the remembered successor. A comparison is cheaper than a hash.
   */
  #successors = new Int32Array(1024)
  #lastKey = 0
  /** The key numbers in `#successors` and `#lastKey` are valid only for this generation of the key table. */
  #generation = 0

  constructor(table: KeyTable) {
    this.table = table
  }

  /**
   * Removes the entry at index `length` and all entries after it. Callers must call this function before they add attributes, and also
   * after the key table has forgotten keys.
   */
  truncate(length: number): void {
    this.length = length
    this.contentCount = 0
    if (this.#generation !== this.table.generation) this.#forget()
  }

  #forget(): void {
    this.#generation = this.table.generation
    this.#successors.fill(0)
    this.#lastKey = 0
  }

  /**
   * Adds the KeyValue in [start, end). Of several attributes with the same key, the last attribute wins. Returns false if the KeyValue is
   * malformed.
   */
  add(source: ByteSource, start: number, end: number, index: AttributeIndex): boolean {
    const { bytes } = source
    const keyStart = start + 2
    const keyEnd = keyStart + bytes[start + 1]!
    if (bytes[start] === 0x0a && bytes[start + 1]! < 0x80 && keyEnd + 2 <= end && bytes[keyEnd] === 0x12) {
      const length = shortLength(bytes, keyEnd + 1)
      const at = keyEnd + 1 + (length & 3)
      if (length > 0 && at + (length >> 2) === end) {
        if (!readAnyValue(source, at, end, this)) return false
        this.#push(source, keyStart, keyEnd, index)
        return true
      }
    }
    return this.#addFields(source, start, end, index)
  }

  /** Fields can be in any order, and unknown fields are accepted. A missing key counts as an empty key. A missing value has kind `none`. */
  #addFields(source: ByteSource, start: number, end: number, index: AttributeIndex): boolean {
    let keyStart = end
    let keyEnd = end
    let valueStart = end
    let valueEnd = end
    reader.open(source.bytes, start, end)
    for (let step = reader.advance(); step !== 0; step = reader.advance()) {
      if (step < 0) return false
      if (reader.type !== wireType.length) continue
      if (reader.field === 1) {
        keyStart = reader.start
        keyEnd = reader.stop
      } else if (reader.field === 2) {
        valueStart = reader.start
        valueEnd = reader.stop
      }
    }
    if (!readAnyValue(source, valueStart, valueEnd, this)) return false
    this.#push(source, keyStart, keyEnd, index)
    return true
  }

  #push(source: ByteSource, keyStart: number, keyEnd: number, index: AttributeIndex): void {
    const expected = this.#successors[this.#lastKey]!
    let key = expected
    if (!this.table.is(expected, source, keyStart, keyEnd)) {
      key = this.table.numberOf(source, keyStart, keyEnd)
      if (this.table.size > this.#successors.length) this.#successors = grown(this.#successors, this.table.size * 2)
      this.#successors[this.#lastKey] = key
    }
    this.#lastKey = key
    if (this.table.brand.aliased) key = this.table.canonical(key)
    const flags = this.table.flags(key)
    this.seenFlags |= flags
    if ((flags & contentFlags) !== 0) this.contentCount++

    const entry = this.length++
    if (entry === this.keys.length) this.#grow()
    this.keys[entry] = key
    this.flags[entry] = flags
    this.kinds[entry] = this.kind
    this.starts[entry] = this.start
    this.ends[entry] = this.end
    this.numbers[entry] = this.number
    const before = index.set(key, entry)
    if (before < 0) return
    this.keys[before] = deadKey
    this.flags[before] = 0
  }

  #grow(): void {
    const length = this.keys.length * 2
    this.keys = grown(this.keys, length)
    this.flags = grown(this.flags, length)
    this.kinds = grown(this.kinds, length)
    this.starts = grown(this.starts, length)
    this.ends = grown(this.ends, length)
    this.numbers = grown(this.numbers, length)
  }

  value(entry: number): WireValue {
    return { kind: this.kinds[entry]!, start: this.starts[entry]!, end: this.ends[entry]!, number: this.numbers[entry]! }
  }

  /** Like `value`, but fills an object that the caller reuses. */
  valueIn(into: WireValue, entry: number): WireValue {
    into.kind = this.kinds[entry]!
    into.start = this.starts[entry]!
    into.end = this.ends[entry]!
    into.number = this.numbers[entry]!
    return into
  }

  /** True even for an empty value. */
  isSet(entry: number): boolean {
    return entry >= 0 && this.kinds[entry] !== valueKind.none
  }

  /** False for empty text, 0, NaN, and false. Empty lists are truthy. */
  isTruthy(entry: number): boolean {
    if (entry < 0) return false
    const kind = this.kinds[entry]!
    if (kind === valueKind.text) return this.ends[entry]! > this.starts[entry]!
    if (kind === valueKind.bool || kind === valueKind.int) return this.numbers[entry] !== 0
    if (kind === valueKind.double) return this.numbers[entry] !== 0 && !Number.isNaN(this.numbers[entry])
    return kind !== valueKind.none
  }

  /** False for empty texts and empty lists. */
  isPresent(entry: number): boolean {
    if (entry < 0) return false
    const kind = this.kinds[entry]!
    if (kind === valueKind.text || kind === valueKind.array || kind === valueKind.map) return this.ends[entry]! > this.starts[entry]!
    return kind !== valueKind.none
  }
}
