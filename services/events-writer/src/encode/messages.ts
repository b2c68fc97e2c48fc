// Messages between the main thread and the encoding thread: plain data, and buffers that are moved or shared, never copied.
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises'
import type { Denied } from '@svc-server/deletions/denials'
import type { CatalogueSnapshot } from '@svc-server/pricing/snapshot'
import type { EncodedRows, EncoderOptions, RawItem, RowPlace, RowSelection, SourceRecord } from '../destinations/row-encoder.ts'

/** Records of one partition, packed into one buffer, so that one transfer moves them all. */
export interface PackedRecords {
  readonly topic: string
  readonly partition: number
  readonly offsets: readonly number[]
  readonly timestampsMs: readonly number[]
  /** End of each record's value in `bytes`. */
  readonly ends: readonly number[]
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** `workerData` of the thread. */
export interface EncoderData extends Omit<EncoderOptions, 'pool'> {
  /** Of the destinations that are in use. */
  readonly tables: readonly string[]
  /** Nobody waits for its work: see `goBehindOthers`. */
  readonly isBackground: boolean
}

/** Models, prices and prompts. Compiled by the thread, once; the snapshot comes along where the thread may not have it. */
export interface CatalogueUse {
  readonly version: string
  readonly snapshot?: CatalogueSnapshot
}

/** What was deleted: memory to which the process adds, or these and no others. */
export type DenialsUse = { readonly shared: SharedArrayBuffer } | { readonly list: readonly Denied[] }

/** What is wanted of a chunk's records: its rows as a block, who they are, or the messages they were made of. */
export interface EncodeRequest {
  readonly kind: 'encode' | 'places' | 'raws'
  /** Of the destination. */
  readonly table: string
  readonly records: PackedRecords
  /** Absent: all rows. */
  readonly only?: RowSelection
  /** Absent: nothing. */
  readonly denials?: DenialsUse
  /** Absent: as for the request before. */
  readonly catalogue?: CatalogueUse
  /** Memory of blocks that are stored: page faults of fresh memory cost as much as the copying into it. */
  readonly stored: readonly ArrayBufferLike[]
  /** Bytes of shared memory of blocks that were not stored, and that nobody has any more. */
  readonly lostBytes: number
}

/** What of a catalogue is not usable, and why. */
export interface CatalogueReport {
  readonly version: string
  readonly warnings: readonly string[]
}

/** Rows, and what was denied of them: to make pieces of them again, this list is what was deleted. */
export interface EncodedBlock extends EncodedRows {
  readonly matched: readonly Denied[]
}

/** With a report where a catalogue was new. */
export type EncodeAnswer = { readonly catalogue?: CatalogueReport } & (
  | { readonly kind: 'result'; readonly result: EncodedBlock | readonly RowPlace[] | readonly RawItem[] }
  | { readonly kind: 'error'; readonly error: unknown; readonly code?: string }
  | { readonly kind: 'no catalogue' }
)

/** A record of the chunk at work. */
export type ChunkRecord = Omit<SourceRecord, 'topic' | 'partition'>

/** Copied in one turn of the event loop: fresh memory included, half a millisecond. */
const sliceBytes = 1024 * 1024

/**
 * One copy, of compressed bytes: the caller keeps its own for dead letters, and for another try when the thread dies. In slices, because a chunk of
 * 32 MB would keep a process that also serves requests from its sockets for a dozen milliseconds.
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
