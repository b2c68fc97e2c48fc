// What crosses the border of the thread that reads spans for the merger.
import type { WriteMode } from '@svc-server/modes/write-mode'
import type { PackedValues } from '../../reading/messages.ts'

export interface PartsReaderData {
  readonly maxRecordBytes: number
  readonly maxRowBytes: number
  readonly maxWork: number
  readonly brandAliases: readonly string[]
  /** For records that do not say theirs. */
  readonly writeMode: WriteMode
}

export interface SpanRecords extends PackedValues {
  /** Of each value: topic/partition/offset. */
  readonly provenances: readonly string[]
}

export interface ReadParts {
  /** Key and record of each trace that the spans are about. */
  readonly keys: readonly string[]
  readonly values: readonly Uint8Array<ArrayBuffer>[]
  readonly spans: number
  readonly unreadable: number
  /** Of the values, to be used again. */
  readonly buffer: ArrayBuffer
}
