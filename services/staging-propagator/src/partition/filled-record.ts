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
  /** Of the process that accepted them; it goes on with them. */
  readonly writeMode: WriteMode | null
}

/**
 * Memory for the values of a range: one buffer instead of one for each, which the collector would have to be
 * run for.
 */
export interface Arena {
  readonly bytes: number
  /** What is left of it. */
  rest(): Buffer
  /** `value` was written where the rest began, or elsewhere if it was too large for that. */
  took(value: Buffer): void
  /** Nobody needs any more what was written. */
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

/** What is added to a record. */
export interface FillIn {
  /** Null: it goes on as it is. */
  readonly fill: TraceAttributes | null
  /** The run items that its spans belong to. */
  readonly runItems?: readonly RunItemFill[] | null
}

/** `generation`: how often the record has been published before. Throws UndecodableRecord. */
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
  // The thread that read the record for its window has decoded it.
  const { value: filled, spanCount: spans, writeMode } = fillSpanBatch(value ?? new Uint8Array(0), fillIn, arena?.rest())
  arena?.took(filled)
  // The same partition by name: staged, filled and attributes of a trace stay together whatever the
  // partitioner thinks of the key.
  return { record: { key, value: filled, partition }, spans, writeMode }
}

/** A staged entity of the merger, with what its trace says. */
function filledEntity(
  value: Uint8Array,
  { traceAttributes, staged, runItems }: Pick<SpanBatch, 'traceAttributes' | 'runItems'> & { readonly staged: StagedOrigin },
) {
  const { rootSpanId = null, ...attributes } = traceAttributes ?? {}
  const entity = decodeEntity(value)
  const filled = { ...entity, traceAttributes: isEmpty(attributes) ? null : attributes, rootSpanId, staged, runItem: runItems?.[0] ?? null }
  return { value: encodeEntity(filled), writeMode: entity.writeMode ?? null }
}
