// Messages to and from the thread that reads spans for the merger.
import type { WriteMode } from '@svc-server/modes/write-mode'
import type { PackedValues } from '@svc-server/owner/packed-values'

export interface PartsReaderData {
  readonly maxRecordBytes: number
  readonly maxRowBytes: number
  readonly maxWork: number
  readonly brandAliases: readonly string[]
  /** Bytes of the record of a part. */
  readonly maxPartBytes: number
}

export interface SpanRecords extends PackedValues {
  /** Of each value: topic/partition/offset. */
  readonly provenances: readonly string[]
  /** Of each value: in which it is served. */
  readonly modes: readonly WriteMode[]
}

export interface ReadParts {
  /** Key and record of what the spans say about each trace. */
  readonly keys: readonly string[]
  readonly values: readonly Uint8Array<ArrayBuffer>[]
  readonly spans: number
  readonly unreadable: number
  /** Values that no record of a part can hold. */
  readonly cut: number
}
