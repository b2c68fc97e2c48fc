// Reading records: a plan over the index, then one copy per batch. Bytes handed out are never views on the memory map.
import { AppError } from '@svc-server/errors'
import type { FetchedBatch, LogRecord } from '../port.ts'
import { decodeBatch, payloadBytesOf } from './record-batch.ts'
import type { Partition } from './state.ts'
import type { Store } from './store.ts'
import { nextTurn, SLICE_MS } from './turns.ts'

// Entries of the index read at once: about half a millisecond.
const PAGE = 128

/** Says which range is gone, for the caller that asked for it. */
export function outOfRange(partition: Partition, from: number, group?: string): AppError {
  const { low, high } = partition.numbers
  const where = `${partition.topic.spec.name}/${partition.partition}`
  const who = group === undefined ? 'A read' : `Group ${group}`
  const what =
    from < low
      ? `records ${from} to ${low - 1} (${low - from}) are lost, the log begins at ${low}`
      : `the log ends at ${high}: it is not the log that these offsets belong to`
  return new AppError('offset_out_of_range', `${who} wants ${where} from offset ${from}, but ${what}.`, {
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
 * Records from `from` on: at most `maxBytes` of key and value, but at least one record. With `until` the batch reaches exactly to it,
 * whatever its size. Rejects with `offset_out_of_range` or `log_corrupt`.
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
  const finish = (nextOffset: number): FetchedBatch => ({ topic, partition: partition.partition, records, nextOffset, highWatermark })

  let position = from
  let bytes = 0
  await nextTurn()
  let turnEnds = performance.now() + SLICE_MS
  while (position < end) {
    const entries = store.entriesFrom(partition.id, position, PAGE)
    for (const entry of entries) {
      if (entry.baseOffset >= end) return finish(end)
      const full = bytes >= maxBytes || (entry.records === 1 && bytes + entry.payloadBytes > maxBytes)
      if (until === undefined && records.length > 0 && full) return finish(position)
      const stored = store.batch(partition.id, entry.baseOffset)
      if (stored) {
        for (const record of decodeBatch(stored, topic, partition.partition).records) {
          if (record.offset < from) continue
          if (record.offset >= end) return finish(end)
          const size = payloadBytesOf(record)
          if (until === undefined && records.length > 0 && bytes + size > maxBytes) return finish(record.offset)
          bytes += size
          records.push(record)
        }
      } else if (entry.baseOffset < partition.numbers.low && isOutOfRange(partition, position)) {
        // Retention went by while this was reading. What has been read is whole; otherwise say so.
        if (records.length > 0) return finish(position)
        throw outOfRange(partition, position)
      }
      position = entry.nextOffset
      if (performance.now() >= turnEnds) {
        await nextTurn()
        turnEnds = performance.now() + SLICE_MS
      }
    }
    // Nothing stored up to the end: compaction has emptied the rest of the range.
    if (entries.length < PAGE) position = end
  }
  return finish(end)
}

/** What waits behind an offset, until `enough` bytes are counted. Counting can go on at `scannedTo`. */
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
