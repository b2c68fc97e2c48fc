// A staged record as it goes on: the same envelope, the same bytes of its spans, and the fill-in beside them.
import type { LogRecord, NewRecord } from '@svc-server/log'
import { decodeSpanBatch, encodeSpanBatch, type TraceAttributes } from '@svc-server/schema'

export interface FilledRecord {
  readonly record: NewRecord
  readonly spans: number
}

const isEmpty = (fill: TraceAttributes) => Object.keys(fill).length === 0

/** `generation`: how often the record has been published before. Throws UndecodableRecord. */
export function filledRecord(
  { partition, offset, timestampMs, key, value }: LogRecord,
  fill: TraceAttributes | null,
  generation: number,
): FilledRecord {
  const batch = decodeSpanBatch(value ?? new Uint8Array(0))
  const filled = encodeSpanBatch({
    ...batch,
    traceAttributes: fill === null || isEmpty(fill) ? null : fill,
    staged: { partition, offset, timestampMs, generation },
  })
  // The same partition by name: staged, filled and attributes of a trace stay together whatever the partitioner thinks of the key.
  return { record: { key, value: filled, partition }, spans: batch.spanCount }
}
