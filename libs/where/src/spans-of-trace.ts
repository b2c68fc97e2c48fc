// Counts a trace's spans in a record. A direct record has spans of many traces.
import { inflateBody } from '@svc-server/otlp/inflate'
import { SpanCursor } from '@svc-server/otlp/span-cursor'
import { isEntity } from '@svc-server/schema/entity'
import { decodeSpanBatch, type SpanBatch } from '@svc-server/schema/span-batch'

/** The writer has the same maximum. */
const maxDecodedBytes = 64 << 20

/** Returns null if the record has no spans, for example if it is a staged entity. */
export function spanBatchOf(value: Uint8Array): SpanBatch | null {
  if (isEntity(value)) return null
  try {
    return decodeSpanBatch(value)
  } catch {
    // The record is of a different kind, comes from a different release, or is damaged. The writer handles it.
    return null
  }
}

/** Returns sixteen bytes, or null if the id is not a valid OTLP id. */
export const traceIdBytes = (traceId: string): Buffer | null => (/^[0-9a-f]{32}$/i.test(traceId) ? Buffer.from(traceId, 'hex') : null)

export async function spansOfTrace({ payload, contentEncoding }: SpanBatch, traceId: Buffer): Promise<number> {
  const bytes = await inflateBody(payload, contentEncoding, maxDecodedBytes).catch(() => null)
  if (bytes === null) return 0
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (!all.includes(traceId)) return 0
  let spans = 0
  const cursor = new SpanCursor(bytes)
  while (cursor.next()) {
    if (all.subarray(cursor.spanStart, cursor.spanEnd).includes(traceId)) spans++
  }
  return spans
}
