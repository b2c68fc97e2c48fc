// Chooses batches from the index, then copies each batch once. The returned bytes are never views of LMDB's memory
// map.
import { AppError } from '@svc-server/errors'
import type { FetchedBatch, LogRecord } from '../port.ts'
import { batchOf, corrupt, lostAt, mayHaveHoles } from './damage.ts'
import { payloadBytesOf } from './record-batch.ts'
import type { Partition } from './state.ts'
import type { Store } from './store.ts'
import { nextTurn, sliceMs } from './turns.ts'

// Reading this many index entries takes about half a millisecond.
const PAGE = 128

/** Creates the error of a reader whose position lies outside the log. */
export function outOfRange(partition: Partition, from: number, group?: string, low = partition.numbers.low): AppError {
  const { high } = partition.numbers
  const where = `${partition.topic.spec.name}/${partition.partition}`
  const who = group === undefined ? 'A read' : `Group ${group}`
  const what =
    from < low
      ? `records ${from} to ${low - 1} (${low - from}) are lost, because the log begins at ${low}`
      : `the log ends at ${high}, so these offsets belong to a different log`
  return new AppError('offset_out_of_range', `${who} reads ${where} from offset ${from}, but ${what}.`, {
    group,
    topic: partition.topic.spec.name,
    partition: partition.partition,
    offset: from,
    lowWatermark: low,
    highWatermark: high,
    lost: Math.max(0, low - from),
  })
}

export const isOutOfRange = ({ numbers: { low, high } }: Partition, from: number): boolean => from < low || from > high

/**
 * Reads at most `maxBytes` of keys and values, but at least one record. With `until`, the batch ends exactly at that offset, regardless of
 * its size, and can contain a range that an operator has skipped. Without `until`, the batch ends before such a range. Rejects with
 * `offset_out_of_range` or `log_corrupt`.
 */
export async function fetchBatch(
  store: Store,
  partition: Partition,
  from: number,
  maxBytes: number,
  until?: number,
): Promise<FetchedBatch> {
  if (isOutOfRange(partition, from)) throw outOfRange(partition, from)
  const topic = partition.topic.spec.name
  const highWatermark = partition.numbers.high
  const end = Math.min(until ?? highWatermark, highWatermark)
  const records: LogRecord[] = []
  const stored: Buffer[] = []
  const release = () => stored.splice(0).forEach(free)
  const finish = (nextOffset: number): FetchedBatch => ({
    ...{ topic, partition: partition.partition, records, nextOffset, highWatermark },
    ...(stored.length > 0 && { release }),
  })

  let position = from
  let bytes = 0
  await nextTurn()
  let turnEnds = performance.now() + sliceMs
  while (position < end) {
    const entries = store.entriesFrom(partition.id, position, PAGE)
    for (const entry of entries) {
      const lost = lostAt(partition, position)
      if (lost || entry.baseOffset > position) break
      const full = bytes >= maxBytes || (entry.records === 1 && bytes + entry.payloadBytes > maxBytes)
      if (until === undefined && records.length > 0 && full) return finish(position)
      const found = batchOf(store, partition, entry)
      if (found === undefined) break
      if ('reason' in found) {
        if (until === undefined && records.length > 0) return finish(position)
        throw corrupt(partition, found)
      }
      stored.push(found.bytes)
      for (const record of found.records) {
        if (record.offset < position) continue
        if (record.offset >= end) return finish(end)
        const size = payloadBytesOf(record)
        if (until === undefined && records.length > 0 && bytes + size > maxBytes) return finish(record.offset)
        bytes += size
        records.push(record)
      }
      position = Math.max(position, entry.nextOffset)
      if (performance.now() >= turnEnds) {
        await nextTurn()
        turnEnds = performance.now() + sliceMs
      }
    }
    if (position >= end) break
    const next = beyondGap(store, partition, position, end)
    if (next === position) continue
    // A consumer's batch ends before damage. Unless the topic is compacted, the batch also ends before offsets that are recorded as lost.
    if (until === undefined && records.length > 0 && (next === 'damage' || !mayHaveHoles(partition))) return finish(position)
    if (next === 'damage') throw gapError(store, partition, position, end)
    position = next
  }
  return finish(end)
}

/** Frees the buffer unless it is part of a larger buffer. */
function free({ buffer, length }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0)
}

/**
 * Called if the index has no entry for `position`. Returns the offset after the skipped or compacted records, or `position` itself if an
 * entry was added in the meantime.
 */
function beyondGap(store: Store, partition: Partition, position: number, end: number): number | 'damage' {
  const lost = lostAt(partition, position)
  if (lost) return Math.min(lost.to, end)
  const [next] = store.entriesFrom(partition.id, position, 1)
  if (next && next.baseOffset <= position) return position
  return mayHaveHoles(partition) ? Math.min(next?.baseOffset ?? end, end) : 'damage'
}

function gapError(store: Store, partition: Partition, position: number, end: number): AppError {
  // Retention may have deleted the record during this read. The low watermark on disk is read, because it rises before the one in memory.
  const low = store.numbers(partition.topic.spec.name, partition.partition)?.low ?? 0
  if (position < low) return outOfRange(partition, position, undefined, low)
  const [next] = store.entriesFrom(partition.id, position, 1)
  return corrupt(partition, { from: position, to: Math.min(next?.baseOffset ?? end, end), reason: 'its records are not in the index' })
}

/** Adds up the size of the records after an offset, but stops at `enough` bytes. The caller can continue at `scannedTo`. */
export async function measure(
  store: Store,
  partition: Partition,
  from: number,
  enough: number,
): Promise<{ readonly bytes: number; readonly scannedTo: number; readonly oldestMs?: number }> {
  let bytes = 0
  let scannedTo = from
  let oldestMs: number | undefined
  while (bytes < enough) {
    await nextTurn()
    const entries = store.entriesFrom(partition.id, scannedTo, PAGE)
    for (const entry of entries) {
      oldestMs ??= entry.timestampMs
      bytes += entry.payloadBytes
      scannedTo = entry.nextOffset
      if (bytes >= enough) break
    }
    if (entries.length < PAGE) break
  }
  return { bytes, scannedTo, ...(oldestMs === undefined ? {} : { oldestMs }) }
}
