// Reads the spans of records without building rows.
import type { ByteSource } from '@svc-server/column-store/native'
import type { Allocate } from '@svc-server/otlp/inflate'
import { createBrandNames } from '@svc-server/schema/brand'
import type { SpanBatch } from '@svc-server/schema/span-batch'
import { vocabulary } from '../dialects/registry.ts'
import { type DecodedRecord, decodeRecord, defaultMaxDecodedBytes } from '../span-view/decode-record.ts'
import { KeyTable } from '../span-view/key-table.ts'
import { createSpanWalk, type SpanVisitor, type SpanWalkLimits } from '../span-view/record-spans.ts'
import { SpanReader } from '../span-view/span-reader.ts'

/** The limits must equal the writer's limits, so that the reader reads exactly the spans that become rows. */
export interface RecordWalkOptions extends SpanWalkLimits {
  /** Maximum decoded bytes of a record. */
  readonly maxDecodedBytes?: number
  /** Other names of the product. Attributes with one of these names are treated like attributes with the product's name. */
  readonly brandAliases?: readonly string[]
}

type Unreadable = Extract<DecodedRecord, { ok: false }>
type Readable = Extract<DecodedRecord, { ok: true }>

/**
 * All records up to this size reuse one buffer; each larger record has a new buffer. If every record had a new buffer, V8 would collect
 * garbage after every few megabytes of buffers.
 */
const keptBytes = 1024 * 1024

function createRoom(): Allocate {
  let room = new Uint8Array(0)
  return bytes => {
    if (bytes > keptBytes) return Buffer.allocUnsafeSlow(bytes)
    if (room.length < bytes) room = new Uint8Array(Buffer.allocUnsafeSlow(Math.min(keptBytes, 2 * bytes)).buffer as ArrayBuffer)
    return room
  }
}

const nothing: ByteSource = { bytes: new Uint8Array(0), view: new DataView(new ArrayBuffer(0)) }

export function createRecordWalk(options: RecordWalkOptions) {
  const { maxDecodedBytes = defaultMaxDecodedBytes, brandAliases } = options
  const table = new KeyTable(vocabulary, createBrandNames(brandAliases))
  const span = new SpanReader(table)
  const walkSpans = createSpanWalk(span, options)
  const room = createRoom()

  return {
    /** While a visitor runs, this is the visited span. */
    span,
    brand: table.brand,
    /**
     * Visits the spans of a record. `value` is an encoded SpanBatch. If the record is readable, `visitorOf` is called before the first span
     * is visited. The record's bytes become invalid when the next record is read.
     */
    walk(
      value: Uint8Array,
      visitorOf: (record: Readable) => SpanVisitor,
    ): Unreadable | { readonly ok: true; readonly batch: SpanBatch; readonly source: ByteSource; readonly spans: number } {
      const decoded = decodeRecord(value, maxDecodedBytes, room)
      if (!decoded.ok) return decoded
      table.trim()
      const { batch, source } = decoded
      const receivedUs = batch.receivedAtMs * 1000
      const context = { batch, source, project: nothing, fill: null, runItemOf: null, provenance: '', rowTimeUs: 0, receivedUs }
      return { ok: true, batch, source, spans: walkSpans(context, visitorOf(decoded)) }
    },
  }
}
