// Messages between the main thread and the encoding thread. A message consists of plain data, and of buffers that are moved or shared but
// never copied.
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises'
import type { Denied } from '@svc-server/deletions/denials'
import type { CatalogSnapshot } from '@svc-server/pricing/snapshot'
import type { EncodedRows, EncoderOptions, RawItem, RowPlace, RowSelection, SourceRecord } from '../destinations/row-encoder.ts'

/** The records of one partition share a buffer, so that one transfer moves all records. */
export interface PackedRecords {
  readonly topic: string
  readonly partition: number
  readonly offsets: readonly number[]
  readonly timestampsMs: readonly number[]
  /** For each record, the position in `bytes` at which its value ends. */
  readonly ends: readonly number[]
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** The thread's `workerData`. */
export interface EncoderData extends Omit<EncoderOptions, 'pool'> {
  /** Tables of the destinations in use. */
  readonly tables: readonly string[]
  /** True if no client waits for the work of this thread (see `goBehindOthers`). */
  readonly isBackground: boolean
}

/** Models, prices and prompts, which the thread compiles once. The message includes the snapshot, unless the thread already has it. */
export interface CatalogUse {
  readonly version: string
  readonly snapshot?: CatalogSnapshot
}

/** The deletions that apply: shared memory to which the process adds deletions, or a fixed list. */
export type DenialsUse = { readonly shared: SharedArrayBuffer } | { readonly list: readonly Denied[] }

/** A request for one of three results for a chunk's records: a block of their rows, the rows' places, or the records' messages. */
export interface EncodeRequest {
  readonly kind: 'encode' | 'places' | 'raws'
  /** Table of the destination. */
  readonly table: string
  readonly records: PackedRecords
  /** Absent: all rows. */
  readonly only?: RowSelection
  /** Absent: no deletions. */
  readonly denials?: DenialsUse
  /** If the catalog is absent, the catalog of the previous request applies. */
  readonly catalog?: CatalogUse
  /**
   * Memory of stored blocks that the thread can reuse. Reused memory causes no page faults. In fresh memory, page faults cost as much as
   * copying the data.
   */
  readonly stored: readonly ArrayBufferLike[]
  /** Bytes of shared memory in blocks that were discarded without being stored. */
  readonly lostBytes: number
}

/** A description of each unusable catalog entry. */
export interface CatalogReport {
  readonly version: string
  readonly warnings: readonly string[]
}

/**
 * The rows of a chunk, with the deletions that were applied to them. A later request for pieces of the same chunk passes the same
 * deletions.
 */
export interface EncodedBlock extends EncodedRows {
  readonly matched: readonly Denied[]
}

/** The first answer after a request with a new catalog contains `catalog`. */
export type EncodeAnswer = { readonly catalog?: CatalogReport } & (
  | { readonly kind: 'result'; readonly result: EncodedBlock | readonly RowPlace[] | readonly RawItem[] }
  | { readonly kind: 'error'; readonly error: unknown; readonly code?: string }
  | { readonly kind: 'no catalog' }
)

/** A record of the current chunk. */
export type ChunkRecord = Omit<SourceRecord, 'topic' | 'partition'>

/** Number of bytes that are copied in one iteration of the event loop. Copying one slice takes 0.5 ms, including the allocation. */
const sliceBytes = 1024 * 1024

/**
 * Copies the compressed bytes once. The caller keeps the original bytes for dead letters and for a retry if the thread dies. The function
 * copies in slices, because copying 32 MB without a pause would block the event loop for about 12 ms and delay the requests that the
 * process serves.
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
