// A chunk is a contiguous offset range. The runner stores and acknowledges a chunk as a whole.
import type { DeadLetterReason } from '@svc-server/errors'
import type { Envelope } from './envelope.ts'
import type { StageResult } from './stage.ts'

export interface Rejection {
  readonly offset: number
  /** Index of the item in its record. Null if the whole record is rejected. */
  readonly index: number | null
  readonly stage: string
  readonly reason: DeadLetterReason
  readonly message: string
  readonly owner: string | null
  readonly raw: Uint8Array
  /** The record's append time. This field is set only if a stage of the runner rejected the item. */
  readonly timestampMs?: number
}

export interface Chunk<T> {
  readonly topic: string
  readonly partition: number
  /** First and last offset of the chunk, both inclusive. The range can contain offsets without a record. */
  readonly first: number
  readonly last: number
  readonly items: readonly Envelope<T>[]
  readonly rejected: readonly Rejection[]
  readonly dropped: readonly string[]
}

export interface Weight {
  readonly rows: number
  readonly bytes: number
  readonly work: number
}

export interface ChunkLimits {
  readonly maxRows: number
  readonly maxBytes: number
  readonly maxWork: number
}

const nothing: Weight = { rows: 0, bytes: 0, work: 0 }

export interface Settled<T> {
  readonly envelope: Envelope<Uint8Array>
  readonly result: StageResult<T>
}

type Finished<T> = Exclude<StageResult<T>, { kind: 'defer' }>
interface FinishedRecord<T> {
  readonly envelope: Envelope<Uint8Array>
  readonly result: Finished<T>
}

/** Returns the finished records that precede the first deferred record. */
export function finishedPrefix<T>(settled: readonly Settled<T>[]): FinishedRecord<T>[] {
  const prefix: FinishedRecord<T>[] = []
  for (const { envelope, result } of settled) {
    if (result.kind === 'defer') break
    prefix.push({ envelope, result })
  }
  return prefix
}

export interface Range {
  readonly topic: string
  readonly partition: number
  readonly first: number
  readonly last: number
}

export function chunkOf<T>(range: Range, records: readonly FinishedRecord<T>[]): Chunk<T> {
  const items: Envelope<T>[] = []
  const rejected: Rejection[] = []
  const dropped: string[] = []
  for (const { envelope, result } of records) {
    if (result.kind === 'emit') items.push(result.envelope)
    else if (result.kind === 'drop') dropped.push(result.reason)
    else {
      const { stage, reason, message, owner } = result
      rejected.push({
        offset: envelope.position.offset,
        index: null,
        stage,
        reason,
        message,
        owner,
        raw: envelope.raw,
        timestampMs: envelope.position.timestampMs,
      })
    }
  }
  return { ...range, items, rejected, dropped }
}

/**
 * Cuts `range` into chunks without a gap. A chunk exceeds the limits only if it is a single record. All chunks have about the same weight.
 * If chunks were filled to the limit, each fetch would leave a small last chunk, which would cause a small insert.
 */
export function cutChunks<T>(
  range: Range,
  records: readonly FinishedRecord<T>[],
  limits: ChunkLimits,
  weigh: (payload: T) => Weight,
): Chunk<T>[] {
  const weights = records.map(({ result }) => (result.kind === 'emit' ? weigh(result.envelope.payload) : nothing))
  const fill = (weight: Weight) => Math.max(weight.rows / limits.maxRows, weight.bytes / limits.maxBytes, weight.work / limits.maxWork)
  const total = fill(weights.reduce(add, nothing))
  const wanted = Math.max(1, Math.ceil(total))
  // The share is slightly below `total / wanted`. With exactly `total / wanted`, a rounding error could put one record too many into every
  // chunk.
  const share = (total / wanted) * 0.999
  const chunks: Chunk<T>[] = []
  let first = range.first
  let from = 0
  let held = nothing
  const close = (to: number) => {
    const last = to === records.length ? range.last : records[to]!.envelope.position.offset - 1
    chunks.push(chunkOf({ ...range, first, last }, records.slice(from, to)))
    first = last + 1
    from = to
    held = nothing
  }
  for (const [index, weight] of weights.entries()) {
    if (index > from && (fill(add(held, weight)) > 1 || (chunks.length < wanted - 1 && fill(held) >= share))) close(index)
    held = add(held, weight)
  }
  close(records.length)
  return chunks
}

const add = (a: Weight, b: Weight): Weight => ({
  rows: a.rows + b.rows,
  bytes: a.bytes + b.bytes,
  work: a.work + b.work,
})
