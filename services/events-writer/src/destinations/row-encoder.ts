// The interface of all destinations' encoders. An encoder must be deterministic: in every process, the same records result in the same
// bytes.
import type { BufferPool } from '@svc-server/column-store/native'
import type { Denials } from '@svc-server/deletions/denials'
import type { DeadLetterReason } from '@svc-server/errors'
import type { CatalogSnapshot } from '@svc-server/pricing/snapshot'

/**
 * Selected rows of a chunk. The keys are the offsets of records. The values are the `RowPlace.index` of each selected row of the record.
 */
export type RowSelection = ReadonlyMap<number, ReadonlySet<number>>

export interface EncoderOptions {
  readonly maxRecordBytes: number
  readonly maxRowBytes: number
  readonly maxWork: number
  /** Brand names that the names of attributes can contain in place of `svc`. */
  readonly brandAliases: readonly string[]
  /** Memory for large blocks. Without a pool, each block allocates its own memory. */
  readonly pool?: BufferPool
}

export interface SourceRecord {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  /** Append time of the record. */
  readonly timestampMs: number
  readonly value: Uint8Array
}

export interface RejectedRow {
  readonly offset: number
  /** Null if the whole record was rejected. */
  readonly index: number | null
  readonly reason: DeadLetterReason
  readonly message: string
  readonly raw: Uint8Array
  readonly projectId: string | null
}

export interface EncodedRows {
  readonly columns: readonly string[]
  /** One Native block, in consecutive buffers. The receiver owns these buffers. */
  readonly body: Uint8Array[]
  /** 32 hex digits. */
  readonly hash: string
  readonly rows: number
  /**
   * Number of items in all records. The items of a record count even if the parameter `only` of `encode` selects no row of the record.
   * Rejected items do not count. An entity counts as one item, however many rows it has.
   */
  readonly items: number
  /** Number of items that belong to a deleted trace or project. All rows of these items are tombstones. */
  readonly denied: number
  readonly rejected: readonly RejectedRow[]
  /** For each case, such as `repaired_text`, how many values were clamped, cut, repaired or unknown. */
  readonly outcomes: Readonly<Record<string, number>>
}

export interface RowPlace {
  readonly key: readonly (string | number)[]
  /** Microseconds since the epoch, rounded to the table's precision. */
  readonly versionUs: number
  readonly offset: number
  /**
   * Identifies a row within its record. If every item of the record has one row, this is the position of the item in the record. Otherwise,
   * this is the position of the row among all rows of the record.
   */
  readonly index: number
}

export interface RawItem {
  readonly offset: number
  readonly index: number
  readonly projectId: string
  readonly raw: Uint8Array
}

export interface RowEncoder {
  /** Encodes the selected rows, by default all rows, in the order of the records. Never throws. Rows of denied items become tombstones. */
  encode(records: readonly SourceRecord[], only?: RowSelection, denials?: Denials): EncodedRows
  places(records: readonly SourceRecord[], denials?: Denials): readonly RowPlace[]
  /**
   * Returns the items of the selected rows, each once and unchanged. Pass the same `denials` to `raws` and to `places`. With `denials`,
   * the rows of a denied item are tombstones. Without `denials`, the encoder could reject this item, and the item would have no rows.
   */
  raws(records: readonly SourceRecord[], only: RowSelection, denials?: Denials): readonly RawItem[]
  /** Uses this catalog from the next chunk on. Returns the unusable entries. */
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
