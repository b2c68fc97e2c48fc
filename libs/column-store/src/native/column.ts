// The interface of all columns of a block. Values are written by row number, and skipped rows get the column's default. Columns that a span
// does not use cost nothing.
import type { ByteSource } from './byte-source.ts'

/** Receives the bytes of a block. Small pieces are copied into a common buffer, and large pieces are passed by reference. */
export interface PartSink {
  /** Copies the bytes of `part`. The caller can reuse the original. */
  copy(part: Uint8Array): void
  /** Takes over the bytes without copying them. The whole buffer of `part` becomes part of the block. */
  own(part: Uint8Array): void
  varint(value: number): void
  /** Writes a number below 2^53 as 64 bits. */
  u64(value: number): void
}

export interface Column {
  /** Writes the prefix of the column. In nested types, all prefixes precede all data. */
  writePrefix(sink: PartSink): void
  /** Writes exactly `rows` values, and starts an empty column. */
  writeData(sink: PartSink, rows: number): void
  /** Number of texts repaired since the last block. */
  readonly repaired: number
}

/** A column with at most one text per row. */
export interface TextColumn extends Column {
  text(row: number, source: ByteSource, start: number, end: number): void
  string(row: number, value: string): void
}
