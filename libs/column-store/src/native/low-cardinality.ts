// LowCardinality(String): a dictionary of the block's distinct values, and an index for each value.
import type { BufferPool } from './buffer-pool.ts'
import { ByteDictionary } from './byte-dictionary.ts'
import { type ByteSource, isValidText, repairedText, sourceOf } from './byte-source.ts'
import type { PartSink, TextColumn } from './column.ts'
import { IndexBuffer } from './index-buffer.ts'

const empty = sourceOf('')
// SharedDictionariesWithAdditionalKeys.
const dictionaryVersion = 1
// Flags in the 64-bit number before the dictionary. The flag 2^9 means that the block has its own dictionary. The flag 2^10 tells the
// reader to replace its dictionary with the dictionary of the block. The low byte of the number is a code for the width of an index.
const ownKeys = 0x600
const widthCode = { 1: 0, 2: 1, 4: 2 } as const

/** Index 0 is the empty string. */
export class LowCardinalityValues {
  readonly indexes: IndexBuffer
  repaired = 0
  readonly #keys = new ByteDictionary()
  /** Index of the previous value. A value often equals the previous value, and a comparison is cheaper than a hash. */
  #last = 0

  constructor(pool: BufferPool) {
    this.indexes = new IndexBuffer(pool)
    this.#keys.add(empty, 0, 0)
  }

  /** Valid only for this block. */
  indexOf(source: ByteSource, start: number, end: number): number {
    if (this.#keys.equals(this.#last, source, start, end)) return this.#last
    const known = this.#keys.find(source, start, end)
    this.#last = known >= 0 ? known : this.#add(source, start, end)
    return this.#last
  }

  #add(source: ByteSource, start: number, end: number): number {
    if (isValidText(source, start, end)) return this.#keys.add(source, start, end)
    this.repaired++
    const repaired = repairedText(source, start, end)
    return this.#keys.add(repaired, 0, repaired.bytes.length)
  }

  writePrefix(sink: PartSink): void {
    sink.u64(dictionaryVersion)
  }

  writeData(sink: PartSink): void {
    const { length, width } = this.indexes
    // If the column has no values, nothing is written, not even an empty dictionary.
    if (length > 0) {
      sink.u64(ownKeys | widthCode[width])
      sink.u64(this.#keys.size)
      sink.copy(this.#keys.encoded)
      sink.u64(length)
      sink.own(this.indexes.take())
    }
    this.repaired = 0
    this.#keys.clear()
    this.#keys.add(empty, 0, 0)
    this.#last = 0
  }
}

/** Default: empty. */
export class LowCardinalityColumn implements TextColumn {
  readonly #values: LowCardinalityValues

  constructor(pool: BufferPool) {
    this.#values = new LowCardinalityValues(pool)
  }

  get repaired(): number {
    return this.#values.repaired
  }

  indexOf(source: ByteSource, start: number, end: number): number {
    return this.#values.indexOf(source, start, end)
  }

  /** `index` must be a result of indexOf for this block. */
  index(row: number, index: number): void {
    const { indexes } = this.#values
    if (indexes.length < row) indexes.zeros(row - indexes.length)
    indexes.push(index)
  }

  text(row: number, source: ByteSource, start: number, end: number): void {
    this.index(row, this.#values.indexOf(source, start, end))
  }

  string(row: number, value: string): void {
    const source = sourceOf(value)
    this.text(row, source, 0, source.bytes.length)
  }

  writePrefix(sink: PartSink): void {
    this.#values.writePrefix(sink)
  }

  writeData(sink: PartSink, rows: number): void {
    this.#values.indexes.zeros(rows - this.#values.indexes.length)
    this.#values.writeData(sink)
  }
}
