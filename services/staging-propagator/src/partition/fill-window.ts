// Reads staged records into the open window.
import type { LogRecord } from '@svc-server/log'
import { readWithin } from '@svc-server/log/read-range'
import { topicNames } from '@svc-server/modes/names'
import { createDecisions } from '../windows/decisions.ts'
import { addRecord, isFull, type OpenWindow, openWindow } from '../windows/window.ts'
import type { OwnerDeps } from './deps.ts'
import { asBuffer } from './filled-record.ts'
import type { ClosedBy, ClosedWindow, Filled, Filling } from './machine.ts'

/** Number of records in one job of the reading thread. One turn of the event loop adds all records of a job to the window. */
const recordsPerReading = 500

export interface WindowRead extends Filled {
  /** The reason why the window is complete; null while the window is not complete. */
  readonly closedBy: 'record' | 'size' | null
  /** False if the read reached the end of the partition. */
  readonly isMore: boolean
}

export async function fillWindow(deps: OwnerDeps, { standing, learned, window }: Filling): Promise<WindowRead> {
  const { partition, log, config, schedule, logClock, monotonicNow } = deps
  const { position } = standing
  const batch = await readWithin(log, { topic: topicNames.staging, partition, from: position, until: learned.knownEnd }, config.readBytes)
  const { records, nextOffset } = batch
  const knownEnd = Math.max(learned.knownEnd, batch.highWatermark)
  const [first] = records
  if (first === undefined) {
    const { recordBytes } = learned
    return { window, position: nextOffset, knownEnd, recordBytes, closedBy: null, isMore: nextOffset > position }
  }
  const open = window ?? openWindow(position, schedule.endOf(first.timestampMs), monotonicNow())
  const beyond = records.findIndex(({ timestampMs }) => timestampMs >= open.endMs)
  const within = beyond < 0 ? records : records.slice(0, beyond)
  const taken = await takeRecords(deps, open, within, 'full')
  logClock.seen('staging', records.at(-1)!.timestampMs)
  const next = records[taken]?.offset ?? nextOffset
  const isProven = taken === within.length && beyond >= 0
  const closedBy = isProven ? 'record' : isFull(open, config) ? 'size' : null
  // A window can close by time only if `isMore` is false. On a busy partition, reads are never empty. If `isMore` became false only after
  // an empty read, a window would never close by time. `isMore` therefore becomes false as soon as the read has reached the known end.
  const isMore = closedBy !== null || next < knownEnd
  const recordBytes = Math.max(1, records.reduce((sum, { value }) => sum + (value?.byteLength ?? 0), 0) / records.length)
  batch.release?.()
  return { window: open, position: next, knownEnd, recordBytes, closedBy, isMore }
}

/** Adds records to the window. If `until` is `full`, the function stops when the window is full. Returns the number of added records. */
export async function takeRecords(
  deps: OwnerDeps,
  window: OpenWindow,
  records: readonly LogRecord[],
  until: 'full' | 'end',
): Promise<number> {
  const { config, metrics } = deps
  for (let from = 0; from < records.length; from += recordsPerReading) {
    if (until === 'full' && isFull(window, config)) return from
    const some = records.slice(from, from + recordsPerReading)
    const readings = await deps.read(some.map(({ value }) => value ?? new Uint8Array(0)))
    let cut = 0
    for (const [index, record] of some.entries()) {
      const reading = readings[index]!
      if (reading.ok) cut += reading.cut
      const key = asBuffer(record.key)
      // Records of deleted traces are published unchanged. The writer denies these records, and the ledger accounts for their spans.
      const ofTrace = key === null || deps.isDeleted(key) ? null : key
      addRecord(window, { offset: record.offset, key: ofTrace }, reading, config.maxTraceSpans)
    }
    metrics.cut.inc(cut)
  }
  return records.length
}

export const closeWindow = (
  { partition, state, config }: OwnerDeps,
  window: OpenWindow,
  last: number,
  closedBy: ClosedBy,
): ClosedWindow => ({ window, last, closedBy, decisions: createDecisions(partition, window, last, state, config) })
