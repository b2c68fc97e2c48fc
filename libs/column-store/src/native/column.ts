// The common interface of a block's columns. A column is written by row number and fills skipped rows with its
// default at once, so that the many columns that a span does not use cost nothing per row.
import type { ByteSource } from './byte-source.ts'

/** Receives a block's bytes: small ones are gathered, large ones pass by reference. */
export interface PartSink {
  /** Takes a copy of the bytes, which stay the caller's. */
  copy(part: Uint8Array): void
  /** The bytes and their whole buffer belong to the block from now on. */
  own(part: Uint8Array): void
  varint(value: number): void
  /** A number below 2^53 as 64 bits. */
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

/** A column that takes one text per row. */
export interface TextColumn extends Column {
  text(row: number, source: ByteSource, start: number, end: number): void
  string(row: number, value: string): void
}
