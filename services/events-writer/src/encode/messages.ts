// Messages between the main thread and the encoding thread. They contain plain data and buffers. The threads move or share the buffers, and
// never copy them.
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises'
import type { Denied } from '@svc-server/deletions/denials'
import type { CatalogSnapshot } from '@svc-server/pricing/snapshot'
import type { EncodedRows, EncoderOptions, RawItem, RowPlace, RowSelection, SourceRecord } from '../destinations/row-encoder.ts'

/** All records share a buffer, so that one transfer moves all records to the encoding thread. */
export interface PackedRecords {
  readonly topic: string
  readonly partition: number
  readonly offsets: readonly number[]
  readonly timestampsMs: readonly number[]
  readonly ends: readonly number[]
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** The thread's `workerData`. */
export interface EncoderData extends Omit<EncoderOptions, 'pool'> {
  readonly tables: readonly string[]
  /** True if no client waits for this thread (see `goBehindOthers`). */
  readonly isBackground: boolean
}

/** Models, prices and prompts. If the thread already has the snapshot of this version, `snapshot` is absent. */
export interface CatalogUse {
  readonly version: string
  readonly snapshot?: CatalogSnapshot
}

/** The encoder reads the deletions that apply to the records from shared memory, or receives them as a fixed list. */
export type DenialsUse = { readonly shared: SharedArrayBuffer } | { readonly list: readonly Denied[] }

export interface EncodeRequest {
  readonly kind: 'encode' | 'places' | 'raws'
  /** The destination's table. */
  readonly table: string
  readonly records: PackedRecords
  /** If absent, all rows are selected. */
  readonly only?: RowSelection
  /** If absent, no deletions apply. */
  readonly denials?: DenialsUse
  /** If absent, the previous request's catalog applies. */
  readonly catalog?: CatalogUse
  /**
   * Memory of blocks whose rows are already in the tables. The thread writes new blocks into this memory, and thus avoids page faults. In
   * fresh memory, page faults would cost as much as copying the data.
   */
  readonly stored: readonly ArrayBufferLike[]
  /** Size of the blocks that were not stored. The memory of these blocks never returns to the thread's pool. */
  readonly lostBytes: number
}

export interface CatalogReport {
  readonly version: string
  readonly warnings: readonly string[]
}

/**
 * `matched` lists the deletions that applied to the chunk. If the main thread later requests a piece of the chunk, the request contains the
 * same deletions.
 */
export interface EncodedBlock extends EncodedRows {
  readonly matched: readonly Denied[]
}

/** `catalog` is present only in the first answer after the thread has received a new catalog. */
export type EncodeAnswer = { readonly catalog?: CatalogReport } & (
  | { readonly kind: 'result'; readonly result: EncodedBlock | readonly RowPlace[] | readonly RawItem[] }
  | { readonly kind: 'error'; readonly error: unknown; readonly code?: string }
  | { readonly kind: 'no catalog' }
)

export type ChunkRecord = Omit<SourceRecord, 'topic' | 'partition'>

/** Number of bytes that are copied without a pause. Copying and allocating them takes 0.5 ms. */
const sliceBytes = 1024 * 1024

/**
 * Copies the records, because the caller keeps the originals for dead letters, and for a retry if the thread dies. Copying 32 MB at once
 * would block the event loop for about 12 ms, so the function pauses about every `sliceBytes` bytes.
 */
export async function packRecords(
  topic: string,
  partition: number,
  records: readonly ChunkRecord[],
  nextTurn: () => Promise<unknown> = nextTurnOfLoop,
): Promise<PackedRecords> {
  const bytes = new Uint8Array(Buffer.allocUnsafeSlow(records.reduce((sum, { value }) => sum + value.byteLength, 0)).buffer as ArrayBuffer)
  const ends: number[] = []
  let end = 0
  let sliceEnds = sliceBytes
  for (const { value } of records) {
    if (end >= sliceEnds) {
      await nextTurn()
      sliceEnds = end + sliceBytes
    }
    bytes.set(value, end)
    ends.push((end += value.byteLength))
  }
  return { topic, partition, offsets: records.map(r => r.offset), timestampsMs: records.map(r => r.timestampMs), ends, bytes }
}

export const unpackRecords = ({ topic, partition, offsets, timestampsMs, ends, bytes }: PackedRecords): readonly SourceRecord[] =>
  offsets.map((offset, index) => ({
    topic,
    partition,
    offset,
    timestampMs: timestampsMs[index]!,
    value: bytes.subarray(index === 0 ? 0 : ends[index - 1]!, ends[index]!),
  }))
