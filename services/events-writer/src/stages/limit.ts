// Holds on reading what the gateway held on writing: a record that says it is larger than memory allows is never opened.
import type { SpanBatch } from '@svc-server/schema'
import { drop, type Envelope, emit, reject, type StageResult } from '@svc-server/stream'

/** Drops: no_spans. Rejects: payload_too_large. */
export function createLimitStage({ maxRecordBytes }: { maxRecordBytes: number }) {
  return function limit(batch: Envelope<SpanBatch>): StageResult<SpanBatch> {
    const { spanCount, decodedBytes, projectId } = batch.payload
    if (spanCount === 0) return drop('no_spans')
    if (decodedBytes <= maxRecordBytes) return emit(batch)
    return reject('limit', 'payload_too_large', `${decodedBytes} bytes after decompression, ${maxRecordBytes} are allowed`, projectId)
  }
}
