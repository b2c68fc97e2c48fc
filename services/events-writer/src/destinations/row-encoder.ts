// The interface by which every destination turns records into rows. Pure: the same records give the same bytes on every machine.
import type { BufferPool } from '@svc-server/column-store/native'
import type { Denials } from '@svc-server/deletions/denials'
import type { DeadLetterReason } from '@svc-server/errors'
import type { CatalogueSnapshot } from '@svc-server/pricing/snapshot'

/** Some rows of a chunk: indexes as of `RowPlace`, by the offset of their record. */
export type RowSelection = ReadonlyMap<number, ReadonlySet<number>>

export interface EncoderOptions {
  readonly maxRecordBytes: number
  readonly maxRowBytes: number
  readonly maxWork: number
  /** Brands whose names are read as ours. */
  readonly brandAliases: readonly string[]
  /** Of the memory that large blocks are made of; absent: each has its own. */
  readonly pool?: BufferPool
}

export interface SourceRecord {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  /** Append time of the log. */
  readonly timestampMs: number
  readonly value: Uint8Array
}

export interface RejectedRow {
  readonly offset: number
  /** Position of the item in its record; null: the record as a whole. */
  readonly index: number | null
  readonly reason: DeadLetterReason
  readonly message: string
  /** A copy of the item's message, or of the record's value. */
  readonly raw: Uint8Array
  readonly projectId: string | null
}

export interface EncodedRows {
  readonly columns: readonly string[]
  /** One Native block in consecutive parts. The receiver's. */
  readonly body: Uint8Array[]
  /** Of the body; 32 hex digits. */
  readonly hash: string
  readonly rows: number
  /** Items of the records that no rejection names, whichever rows were selected: an entity is one, whatever number of rows it has. */
  readonly items: number
  /** Of them those of deleted traces and projects: all rows of them are tombstones. */
  readonly denied: number
  readonly rejected: readonly RejectedRow[]
  /** What was clamped, cut or not known in rows that are stored, by name. */
  readonly outcomes: Readonly<Record<string, number>>
}

/** Which row of a table an item becomes. */
export interface RowPlace {
  /** Values of the destination's key columns, in their order. */
  readonly key: readonly (string | number)[]
  /** As the table stores it, in microseconds since the epoch. */
  readonly versionUs: number
  readonly offset: number
  /** Of the item in its record; where one item has several rows, of the row among those of the record. */
  readonly index: number
}

/** A copy of an item's message. */
export interface RawItem {
  readonly offset: number
  readonly index: number
  readonly projectId: string
  readonly raw: Uint8Array
}

export interface RowEncoder {
  /**
   * Encodes the selected rows only, in the same order; absent: all. Never throws for what a record contains. An item that is denied has a tombstone at
   * the key of each of its rows, in their places: nothing else of it, and a version that is newer than the row's.
   */
  encode(records: readonly SourceRecord[], only?: RowSelection, denials?: Denials): EncodedRows
  /** The rows that `encode` makes of these records, in its order. */
  places(records: readonly SourceRecord[], denials?: Denials): readonly RowPlace[]
  /** The items of selected rows, each once, as they came. `denials` as for `places`: what is denied may have rows where it would be refused otherwise. */
  raws(records: readonly SourceRecord[], only: RowSelection, denials?: Denials): readonly RawItem[]
  /** From the next chunk on. Answers what of the snapshot is not usable, and why. */
  useCatalogue?(snapshot: CatalogueSnapshot): readonly string[]
}

export function selectionOf(rows: Iterable<Pick<RowPlace, 'offset' | 'index'>>): RowSelection {
  const selection = new Map<number, Set<number>>()
  for (const { offset, index } of rows) {
    const known = selection.get(offset)
    if (known === undefined) selection.set(offset, new Set([index]))
    else known.add(index)
  }
  return selection
}
