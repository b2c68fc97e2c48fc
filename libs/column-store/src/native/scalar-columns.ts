// Columns with one value per row.
import type { BufferPool } from './buffer-pool.ts'
import type { ByteSource } from './byte-source.ts'
import { ByteWriter } from './byte-writer.ts'
import type { Column, PartSink, TextColumn } from './column.ts'

const writeAll = (sink: PartSink, writer: ByteWriter) => {
  for (const segment of writer.take()) sink.own(segment)
}

/** String. The default is empty. */
export class StringColumn implements TextColumn {
  #rows = 0
  readonly #writer: ByteWriter

  constructor(pool: BufferPool) {
    this.#writer = new ByteWriter(pool)
  }

  get repaired(): number {
    return this.#writer.repaired
  }

  /** Returns the writer for the value of this row. The caller must write exactly one String value. */
  at(row: number): ByteWriter {
    if (this.#rows < row) this.#writer.zeros(row - this.#rows)
    this.#rows = row + 1
    return this.#writer
  }

  text(row: number, source: ByteSource, start: number, end: number): void {
    this.at(row).text(source, start, end)
  }

  string(row: number, value: string): void {
    this.at(row).string(value)
  }

  writePrefix(): void {}

  writeData(sink: PartSink, rows: number): void {
    this.#writer.zeros(rows - this.#rows)
    this.#rows = 0
    writeAll(sink, this.#writer)
  }
}

/** UInt8, Bool, UInt16, UInt64, Date, DateTime64 and Decimal(18) as little-endian numbers. The default is 0. */
export class NumberColumn implements Column {
  readonly repaired = 0
  #rows = 0
  readonly #width: 1 | 2 | 8
  readonly #writer: ByteWriter

  constructor(pool: BufferPool, width: 1 | 2 | 8) {
    this.#width = width
    this.#writer = new ByteWriter(pool)
  }

  /** `value` must be an integer of at most 53 bits that fits the column's type. */
  set(row: number, value: number): void {
    const writer = this.#writer
    if (this.#rows < row) writer.zeros((row - this.#rows) * this.#width)
    this.#rows = row + 1
    if (this.#width === 8) writer.i64(value)
    else if (this.#width === 1) writer.byte(value)
    else writer.u16(value)
  }

  writePrefix(): void {}

  writeData(sink: PartSink, rows: number): void {
    this.#writer.zeros((rows - this.#rows) * this.#width)
    this.#rows = 0
    writeAll(sink, this.#writer)
  }
}

/** The NULL flags precede the values of the column. */
class NullMap {
  #rows = 0
  readonly #writer: ByteWriter

  constructor(pool: BufferPool) {
    this.#writer = new ByteWriter(pool)
  }

  mark(row: number): void {
    this.#nullsUpTo(row)
    this.#writer.byte(0)
    this.#rows = row + 1
  }

  #nullsUpTo(row: number): void {
    for (; this.#rows < row; this.#rows++) this.#writer.byte(1)
  }

  write(sink: PartSink, rows: number): void {
    this.#nullsUpTo(rows)
    this.#rows = 0
    writeAll(sink, this.#writer)
  }
}

/** Nullable of numbers. The default is NULL. */
export class NullableNumberColumn implements Column {
  readonly repaired = 0
  readonly #nulls: NullMap
  readonly #values: NumberColumn

  constructor(pool: BufferPool, width: 1 | 2 | 8) {
    this.#nulls = new NullMap(pool)
    this.#values = new NumberColumn(pool, width)
  }

  set(row: number, value: number): void {
    this.#nulls.mark(row)
    this.#values.set(row, value)
  }

  writePrefix(): void {}

  writeData(sink: PartSink, rows: number): void {
    this.#nulls.write(sink, rows)
    this.#values.writeData(sink, rows)
  }
}

/** A column of the type Nullable(Decimal(18, 12)). A value is a whole number of units of 10^-12. The default is NULL. */
export class NullableDecimalColumn implements Column {
  readonly repaired = 0
  #rows = 0
  readonly #nulls: NullMap
  readonly #writer: ByteWriter

  constructor(pool: BufferPool) {
    this.#nulls = new NullMap(pool)
    this.#writer = new ByteWriter(pool)
  }

  set(row: number, units: number | bigint): void {
    this.#nulls.mark(row)
    this.#writer.zeros((row - this.#rows) * 8)
    this.#rows = row + 1
    if (typeof units === 'bigint') this.#writer.big64(units)
    else this.#writer.i64(units)
  }

  writePrefix(): void {}

  writeData(sink: PartSink, rows: number): void {
    this.#nulls.write(sink, rows)
    this.#writer.zeros((rows - this.#rows) * 8)
    this.#rows = 0
    writeAll(sink, this.#writer)
  }
}

/** Float64. The default is 0. */
export class FloatColumn implements Column {
  readonly repaired = 0
  #rows = 0
  readonly #writer: ByteWriter
  readonly #bits = new DataView(new ArrayBuffer(8))

  constructor(pool: BufferPool) {
    this.#writer = new ByteWriter(pool)
  }

  set(row: number, value: number): void {
    this.#writer.zeros((row - this.#rows) * 8)
    this.#rows = row + 1
    this.#bits.setFloat64(0, value)
    this.#writer.big64(this.#bits.getBigUint64(0))
  }

  writePrefix(): void {}

  writeData(sink: PartSink, rows: number): void {
    this.#writer.zeros((rows - this.#rows) * 8)
    this.#rows = 0
    writeAll(sink, this.#writer)
  }
}

/** Nullable(String). The default is NULL. */
export class NullableStringColumn implements TextColumn {
  readonly #nulls: NullMap
  readonly #values: StringColumn

  constructor(pool: BufferPool) {
    this.#nulls = new NullMap(pool)
    this.#values = new StringColumn(pool)
  }

  get repaired(): number {
    return this.#values.repaired
  }

  text(row: number, source: ByteSource, start: number, end: number): void {
    this.#nulls.mark(row)
    this.#values.text(row, source, start, end)
  }

  string(row: number, value: string): void {
    this.#nulls.mark(row)
    this.#values.string(row, value)
  }

  writePrefix(): void {}

  writeData(sink: PartSink, rows: number): void {
    this.#nulls.write(sink, rows)
    this.#values.writeData(sink, rows)
  }
}
