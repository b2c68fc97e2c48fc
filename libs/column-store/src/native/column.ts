// The common interface of a block's columns. Values are written to a column by row number, and the column fills all skipped rows with its
// default in one step. Therefore the many columns that a span does not use cost nothing per row.
import type { ByteSource } from './byte-source.ts'

/** Receives a block's bytes. Small pieces are copied into a shared buffer, large pieces are passed by reference. */
export interface PartSink {
  /** Copies the bytes. The caller keeps the original. */
  copy(part: Uint8Array): void
  /** Takes the bytes without copying them. From then on their whole buffer belongs to the block. */
  own(part: Uint8Array): void
  varint(value: number): void
  /** Writes a number below 2^53 as 64 bits. */
  u64(value: number): void
}

export interface Column {
  /** Writes the serialization prefix. In nested types all prefixes come before all data. */
  writePrefix(sink: PartSink): void
  /** Writes exactly `rows` values and starts over. */
  writeData(sink: PartSink, rows: number): void
  /** Number of texts repaired since the last block. */
  readonly repaired: number
}

/** A column to which callers write at most one text per row. */
export interface TextColumn extends Column {
  text(row: number, source: ByteSource, start: number, end: number): void
  string(row: number, value: string): void
}
