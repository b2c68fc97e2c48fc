// The interface of all columns of a block. Skipped rows get the column's default, so columns that a span does not use cost nothing.
import type { ByteSource } from './byte-source.ts'

export interface PartSink {
  /** Copies the bytes of `part`, so that the caller can reuse it. */
  copy(part: Uint8Array): void
  /** Keeps `part` without copying it. From then on, the sink owns the whole buffer of `part`. */
  own(part: Uint8Array): void
  varint(value: number): void
  /** For numbers below 2^53. */
  u64(value: number): void
}

export interface Column {
  /** Writes the prefix of the column. For a nested type, the prefixes of all parts come before the data of all parts. */
  writePrefix(sink: PartSink): void
  /** Writes exactly `rows` values, and then makes the column empty. */
  writeData(sink: PartSink, rows: number): void
  /** Number of texts that the column had to repair since the last block, because they were invalid UTF-8. */
  readonly repaired: number
}

export interface TextColumn extends Column {
  text(row: number, source: ByteSource, start: number, end: number): void
  string(row: number, value: string): void
}
