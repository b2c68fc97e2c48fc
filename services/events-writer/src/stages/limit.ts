// Holds on reading what the gateway held on writing: a record that says it is larger, or becomes more rows, than memory allows is never opened.
import type { SpanBatch } from '@svc-server/schema'
import { drop, type Envelope, emit, reject, type StageResult } from '@svc-server/stream'

/** Drops: no_spans. Rejects: payload_too_large. */
export function createLimitStage({ maxRecordBytes, maxRowBytes }: { maxRecordBytes: number; maxRowBytes: number }) {
  return function limit(batch: Envelope<SpanBatch>): StageResult<SpanBatch> {
    const { spanCount, decodedBytes, rowBytes, projectId } = batch.payload
    if (spanCount === 0) return drop('no_spans')
    const refuse = (why: string) => reject('limit', 'payload_too_large', why, projectId)
    if (decodedBytes > maxRecordBytes) return refuse(`${decodedBytes} bytes after decompression, ${maxRecordBytes} are allowed`)
    // Without the fill-in: a gateway that let it pass did not know it. Records that do not say are held to it span by span, when they are opened.
    if ((rowBytes ?? 0) > maxRowBytes) return refuse(`${rowBytes} bytes of rows, ${maxRowBytes} are allowed`)
    return emit(batch)
  }
}
