// Arrays and maps. A column first contains the end positions of all rows, and then the elements of all rows.
import type { BufferPool } from './buffer-pool.ts'
import { sourceOf } from './byte-source.ts'
import { ByteWriter } from './byte-writer.ts'
import type { Column, PartSink } from './column.ts'
import { LowCardinalityValues } from './low-cardinality.ts'

/** After `open`, the caller appends the elements and reports their number with `added`. */
class Elements<Values extends { readonly repaired: number }> {
  readonly values: Values
  #count = 0
  #closedRows = 0
  readonly #ends: ByteWriter

  constructor(pool: BufferPool, values: Values) {
    this.values = values
    this.#ends = new ByteWriter(pool)
  }

  open(row: number): Values {
    if (this.#closedRows < row) this.#closeUpTo(row)
    return this.values
  }

  added(n: number): void {
    this.#count += n
  }

  #closeUpTo(row: number): void {
    for (; this.#closedRows < row; this.#closedRows++) this.#ends.i64(this.#count)
  }

  writeEnds(sink: PartSink, rows: number): void {
    this.#closeUpTo(rows)
    this.#closedRows = 0
    this.#count = 0
    for (const segment of this.#ends.take()) sink.own(segment)
  }
}

const writeAll = (sink: PartSink, writer: ByteWriter) => {
  for (const segment of writer.take()) sink.own(segment)
}

/** Array(String) and Array(UInt8). The default is empty. */
export class ArrayColumn implements Column {
  readonly #elements: Elements<ByteWriter>

  constructor(pool: BufferPool) {
    this.#elements = new Elements(pool, new ByteWriter(pool))
  }

  get repaired(): number {
    return this.#elements.values.repaired
  }

  open(row: number): ByteWriter {
    return this.#elements.open(row)
  }

  added(n: number): void {
    this.#elements.added(n)
  }

  writePrefix(): void {}

  writeData(sink: PartSink, rows: number): void {
    this.#elements.writeEnds(sink, rows)
    writeAll(sink, this.#elements.values)
  }
}

/** Array(LowCardinality(String)). The default is empty. */
export class LowCardinalityArrayColumn implements Column {
  readonly #elements: Elements<LowCardinalityValues>

  constructor(pool: BufferPool) {
    this.#elements = new Elements(pool, new LowCardinalityValues(pool))
  }

  get repaired(): number {
    return this.#elements.values.repaired
  }

  open(row: number): LowCardinalityValues {
    return this.#elements.open(row)
  }

  added(n: number): void {
    this.#elements.added(n)
  }

  writePrefix(sink: PartSink): void {
    this.#elements.values.writePrefix(sink)
  }

  writeData(sink: PartSink, rows: number): void {
    this.#elements.writeEnds(sink, rows)
    this.#elements.values.writeData(sink)
  }
}

/** For each entry of a map, a subclass adds the index of the entry's name to `keys`, and appends the entry's value to `values`. */
abstract class NamedEntries implements Column {
  protected readonly keys: Elements<LowCardinalityValues>
  protected readonly values: ByteWriter

  constructor(pool: BufferPool) {
    this.keys = new Elements(pool, new LowCardinalityValues(pool))
    this.values = new ByteWriter(pool)
  }

  get repaired(): number {
    return this.keys.values.repaired + this.values.repaired
  }

  writePrefix(sink: PartSink): void {
    this.keys.values.writePrefix(sink)
  }

  writeData(sink: PartSink, rows: number): void {
    this.keys.writeEnds(sink, rows)
    this.keys.values.writeData(sink)
    writeAll(sink, this.values)
  }
}

/**
 * A column of the type Map(LowCardinality(String), UInt64) or Map(LowCardinality(String), Decimal(18, 12)). Both types have values of 64
 * bits. The default is an empty map.
 */
export class NumberMapColumn extends NamedEntries {
  keyIndexOf(...key: Parameters<LowCardinalityValues['indexOf']>): number {
    return this.keys.values.indexOf(...key)
  }

  /** `keyIndex` must be a result of keyIndexOf for this block. */
  set(row: number, keyIndex: number, value: number | bigint): void {
    this.keys.open(row).indexes.push(keyIndex)
    this.keys.added(1)
    if (typeof value === 'bigint') this.values.big64(value)
    else this.values.i64(value)
  }
}

/** Map(LowCardinality(String), String). The default is empty. */
export class NamedTextMapColumn extends NamedEntries {
  set(row: number, key: string, value: string): void {
    const source = sourceOf(key)
    const keys = this.keys.open(row)
    keys.indexes.push(keys.indexOf(source, 0, source.bytes.length))
    this.keys.added(1)
    this.values.string(value)
  }
}

/** Map(String, String). The default is empty. */
export class TextMapColumn implements Column {
  readonly #keys: Elements<ByteWriter>
  readonly #values: ByteWriter

  constructor(pool: BufferPool) {
    this.#keys = new Elements(pool, new ByteWriter(pool))
    this.#values = new ByteWriter(pool)
  }

  get repaired(): number {
    return this.#keys.values.repaired + this.#values.repaired
  }

  set(row: number, key: string, value: string): void {
    this.#keys.open(row).string(key)
    this.#keys.added(1)
    this.#values.string(value)
  }

  writePrefix(): void {}

  writeData(sink: PartSink, rows: number): void {
    this.#keys.writeEnds(sink, rows)
    writeAll(sink, this.#keys.values)
    writeAll(sink, this.#values)
  }
}
