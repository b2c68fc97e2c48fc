// Makes the record that is published for a staged record. The envelope and the span bytes stay the same, and the trace's attributes are
// added.
import type { LogRecord, NewRecord } from '@svc-server/log'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { decodeEntity, encodeEntity, isEntity } from '@svc-server/schema/entity'
import type { RunItemFill } from '@svc-server/schema/run-item-fill'
import { fillSpanBatch, type SpanBatch, type StagedOrigin } from '@svc-server/schema/span-batch'
import type { TraceAttributes } from '@svc-server/schema/trace-attributes'

export interface FilledRecord {
  readonly record: NewRecord
  readonly spans: number
  /** The write mode with which the spans were accepted. */
  readonly writeMode: WriteMode | null
}

/** One buffer for all record values of a range. Separate buffers would cause more garbage collections. */
export interface Arena {
  readonly bytes: number
  rest(): Buffer
  /**
   * Marks the bytes of `value` as used. Must be called after each `value` was written, even if the `value` was too large for the arena and
   * got its own buffer.
   */
  took(value: Buffer): void
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

export interface FillIn {
  readonly fill: TraceAttributes | null
  /** The run items of the record's spans. */
  readonly runItems?: readonly RunItemFill[] | null
}

/** `generation` is the number of earlier publications of the record. Throws UndecodableRecord. */
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
  const { value: filled, spanCount: spans, writeMode } = fillSpanBatch(value ?? new Uint8Array(0), fillIn, arena?.rest())
  arena?.took(filled)
  // The record names the partition explicitly. The spans and the attributes of a trace are therefore on partitions with the same number,
  // whatever partitioner the log uses.
  return { record: { key, value: filled, partition }, spans, writeMode }
}

function filledEntity(
  value: Uint8Array,
  { traceAttributes, staged, runItems }: Pick<SpanBatch, 'traceAttributes' | 'runItems'> & { readonly staged: StagedOrigin },
) {
  const { rootSpanId = null, ...attributes } = traceAttributes ?? {}
  const entity = decodeEntity(value)
  const filled = { ...entity, traceAttributes: isEmpty(attributes) ? null : attributes, rootSpanId, staged, runItem: runItems?.[0] ?? null }
  return { value: encodeEntity(filled), writeMode: entity.writeMode ?? null }
}
