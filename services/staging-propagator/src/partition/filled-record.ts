// A staged record at publication: the same envelope and span bytes, with the fill-in beside them.
import type { LogRecord, NewRecord } from '@svc-server/log'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { decodeEntity, encodeEntity, isEntity } from '@svc-server/schema/entity'
import type { RunItemFill } from '@svc-server/schema/run-item-fill'
import { fillSpanBatch, type SpanBatch, type StagedOrigin } from '@svc-server/schema/span-batch'
import type { TraceAttributes } from '@svc-server/schema/trace-attributes'

export interface FilledRecord {
  readonly record: NewRecord
  readonly spans: number
  /** Write mode of the process that accepted the spans, which the published record keeps. */
  readonly writeMode: WriteMode | null
}

/** Memory for the values of a range. One buffer per range saves garbage collections that one buffer per value would cause. */
export interface Arena {
  readonly bytes: number
  /** The unused part of the buffer. */
  rest(): Buffer
  /** Call this after writing `value`, which is at the start of the unused part or, if it is large, in a separate buffer. */
  took(value: Buffer): void
  /** Frees the buffer once its contents are no longer needed. */
  clear(): void
}

export function createArena(bytes: number): Arena {
  const buffer = Buffer.allocUnsafeSlow(bytes)
  let used = 0
  return {
    bytes,
    rest: () => buffer.subarray(used),
    took(value) {
      if (value.buffer === buffer.buffer) used += value.length
    },
    clear() {
      used = 0
    },
  }
}

export const asBuffer = (bytes: Uint8Array | null): Buffer | null =>
  bytes === null ? null : Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const isEmpty = (fill: TraceAttributes) => Object.keys(fill).length === 0

/** The attributes to add to a record. */
export interface FillIn {
  /** Null: the record is published unchanged. */
  readonly fill: TraceAttributes | null
  /** The run items of the record's spans. */
  readonly runItems?: readonly RunItemFill[] | null
}

/** `generation`: number of earlier publications of the record. Throws UndecodableRecord. */
export function filledRecord(
  { partition, offset, timestampMs, key, value }: LogRecord,
  { fill, runItems = null }: FillIn,
  generation: number,
  arena?: Arena,
): FilledRecord {
  const fillIn = {
    traceAttributes: fill === null || isEmpty(fill) ? null : fill,
    staged: { partition, offset, timestampMs, generation },
    runItems,
  }
  if (value !== null && isEntity(value)) {
    const { value: filled, writeMode } = filledEntity(value, fillIn)
    return { record: { key, value: filled, partition }, spans: 1, writeMode }
  }
  // The record can be decoded, because the reading thread has decoded it for its window.
  const { value: filled, spanCount: spans, writeMode } = fillSpanBatch(value ?? new Uint8Array(0), fillIn, arena?.rest())
  arena?.took(filled)
  // Naming the partition keeps a trace's staged spans, filled spans and attributes together, whatever partitioner hashes the key.
  return { record: { key, value: filled, partition }, spans, writeMode }
}

/** Fills a staged entity of the merger with its trace's attributes. */
function filledEntity(
  value: Uint8Array,
  { traceAttributes, staged, runItems }: Pick<SpanBatch, 'traceAttributes' | 'runItems'> & { readonly staged: StagedOrigin },
) {
  const { rootSpanId = null, ...attributes } = traceAttributes ?? {}
  const entity = decodeEntity(value)
  const filled = { ...entity, traceAttributes: isEmpty(attributes) ? null : attributes, rootSpanId, staged, runItem: runItems?.[0] ?? null }
  return { value: encodeEntity(filled), writeMode: entity.writeMode ?? null }
}
