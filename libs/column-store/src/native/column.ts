// The interface that all columns of a block have. Values are written by row number, and the column fills all skipped rows with its default
// in one step. The many columns that a span does not use therefore cost nothing.
import type { ByteSource } from './byte-source.ts'

/** Receives the bytes of a block. Small pieces are copied into a common buffer, while large ones are passed by reference. */
export interface PartSink {
  /** Copies the bytes of `part`. The caller can use the original again. */
  copy(part: Uint8Array): void
  /** Takes the bytes without copying them. The whole buffer of `part` then belongs to the block. */
  own(part: Uint8Array): void
  varint(value: number): void
  /** Writes a number below 2^53 as 64 bits. */
  u64(value: number): void
}

export interface Column {
  /** Writes the prefix of the column. In nested types, all prefixes come before all data. */
  writePrefix(sink: PartSink): void
  /** Writes exactly `rows` values, and starts again with an empty column. */
  writeData(sink: PartSink, rows: number): void
  /** Number of texts that had to be repaired since the last block. */
  readonly repaired: number
}

/** A column to which callers write at most one text for each row. */
export interface TextColumn extends Column {
  text(row: number, source: ByteSource, start: number, end: number): void
  string(row: number, value: string): void
}
