import type { WriteMode } from '@svc-server/modes/write-mode'
import type { PackedValues } from '@svc-server/owner/packed-values'

export interface PartsReaderData {
  readonly maxRecordBytes: number
  readonly maxRowBytes: number
  readonly maxWork: number
  readonly brandAliases: readonly string[]
  readonly maxPartBytes: number
}

export interface SpanRecords extends PackedValues {
  /** The topic/partition/offset of each value. */
  readonly provenances: readonly string[]
  readonly modes: readonly WriteMode[]
}

export interface ReadParts {
  /**
   * Keys of the parts. A part contains the trace attributes from the spans of one trace. `values` contains the records of the parts, in the
   * order of the keys.
   */
  readonly keys: readonly string[]
  readonly values: readonly Uint8Array<ArrayBuffer>[]
  readonly spans: number
  readonly unreadable: number
  /** Number of trace attributes that `values` does not contain, because each of them was too large for a part. */
  readonly cut: number
}
