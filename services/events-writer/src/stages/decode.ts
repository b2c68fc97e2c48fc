// Opens the envelope of a record. The spans inside stay as they came: their bytes are a view, decoded later by the encoder.
import { decodeSpanBatch, type SpanBatch, UndecodableRecord } from '@svc-server/schema'
import { type Envelope, emit, reject, type StageResult, withPayload } from '@svc-server/stream'

/** Rejects: record_undecodable (F17). */
export function decode(record: Envelope<Uint8Array>): StageResult<SpanBatch> {
  try {
    return emit(withPayload(record, decodeSpanBatch(record.payload)))
  } catch (error) {
    if (!(error instanceof UndecodableRecord)) throw error
    return reject('decode', 'record_undecodable', error.message)
  }
}
