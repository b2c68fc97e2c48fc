// The interface by which every destination turns records into rows. Encoders have no side effects: the same records give the same bytes on
// every machine.
import type { BufferPool } from '@svc-server/column-store/native'
import type { Denials } from '@svc-server/deletions/denials'
import type { DeadLetterReason } from '@svc-server/errors'
import type { CatalogSnapshot } from '@svc-server/pricing/snapshot'

/** Selected rows of a chunk. Maps the offset of each record to the indexes of its selected rows, as in `RowPlace`. */
export type RowSelection = ReadonlyMap<number, ReadonlySet<number>>

export interface EncoderOptions {
  readonly maxRecordBytes: number
  readonly maxRowBytes: number
  readonly maxWork: number
  /** Other brand names that an attribute name can have in place of svc. */
  readonly brandAliases: readonly string[]
  /** Pool that provides the memory of large blocks. Without a pool, each block allocates its own memory. */
  readonly pool?: BufferPool
}

export interface SourceRecord {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  /** Time at which the record was appended to the log. */
  readonly timestampMs: number
  readonly value: Uint8Array
}

export interface RejectedRow {
  readonly offset: number
  /** Position of the item in its record; null if the whole record was rejected. */
  readonly index: number | null
  readonly reason: DeadLetterReason
  readonly message: string
  /** A copy of the item's message or of the record's value. */
  readonly raw: Uint8Array
  readonly projectId: string | null
}

export interface EncodedRows {
  readonly columns: readonly string[]
  /** The bytes of one Native block, in consecutive buffers. The receiver owns the memory of the block. */
  readonly body: Uint8Array[]
  /** Hash of the body, as 32 hex digits. */
  readonly hash: string
  readonly rows: number
  /**
   * Number of items in the records, without rejected items. The number does not depend on the selection of rows. An entity is counted once,
   * however many rows it has.
   */
  readonly items: number
  /** Number of items that belong to deleted traces and projects. Each denied item has only tombstones as rows. */
  readonly denied: number
  readonly rejected: readonly RejectedRow[]
  /** How many values in the rows were clamped, cut or unknown, by name. */
  readonly outcomes: Readonly<Record<string, number>>
}

/** Identifies the row that an item becomes in a table. */
export interface RowPlace {
  /** Values of the destination's key columns, in their order. */
  readonly key: readonly (string | number)[]
  /** The row's version, in microseconds since the epoch, rounded to the precision of the table. */
  readonly versionUs: number
  readonly offset: number
  /** Position of the item in its record. If an item has several rows, the index is the row's position among the record's rows. */
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
   * Encodes the selected rows in their original order; by default, all rows. Never throws, whatever the records contain. Each row of a
   * denied item is replaced by a tombstone with only the key and a newer version.
   */
  encode(records: readonly SourceRecord[], only?: RowSelection, denials?: Denials): EncodedRows
  /** Identifies the rows that `encode` makes from these records, in the same order. */
  places(records: readonly SourceRecord[], denials?: Denials): readonly RowPlace[]
  /**
   * Returns the items whose rows are selected, each item once and unchanged. The caller must pass the `denials` that it passed to `places`:
   * a denied item has rows even if it would otherwise be rejected.
   */
  raws(records: readonly SourceRecord[], only: RowSelection, denials?: Denials): readonly RawItem[]
  /** Uses the catalog of this snapshot, beginning with the next chunk. Returns a description of each unusable catalog entry. */
  useCatalog?(snapshot: CatalogSnapshot): readonly string[]
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
