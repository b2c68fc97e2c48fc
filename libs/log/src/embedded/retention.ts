// Decides which records to delete. Records are deleted by age, but never before every declared reader has read them. If a topic has reached
// its size limit, records that every reader has read are deleted even before their retention time.
import { AppError, counted } from '@svc-server/errors'
import { lostAt, mayHaveHoles } from './damage.ts'
import type { Draft, Partition, Topic } from './state.ts'
import type { BatchEntry, Store } from './store.ts'

// Maximum batches that a step deletes. A step runs within a transaction, so it must be short. Reading this many index entries takes well
// under a millisecond.
const stepBatches = 256
const stepBytes = 64 * 1024 * 1024
// When a topic is full, this fraction of its limit is freed in one step. Otherwise, every append would have to search for records to
// delete.
const HEADROOM = 0.01

/** True if records are kept for the reader. An optional reader holds records only after its first commit on the partition. */
const holds = (draft: Draft, reader: string, partition: Partition): boolean =>
  partition.topic.spec.lapsing?.includes(reader) !== true || draft.committed(reader, partition) !== undefined

/**
 * Returns the lowest offset that at least one reader has not read. Skips optional readers without a commit on the partition (`holds`).
 * Returns Infinity if there is no other reader.
 */
export function heldFrom(draft: Draft, partition: Partition): number {
  let held = Number.POSITIVE_INFINITY
  for (const reader of partition.topic.spec.readers) {
    if (!holds(draft, reader, partition)) continue
    held = Math.min(held, draft.committed(reader, partition)?.offset ?? draft.numbers(partition).low)
  }
  return held
}

/**
 * Returns the index entries of the oldest batches. A damaged entry can claim too many offsets. The function therefore cuts an entry that
 * extends beyond the start of the next entry, or beyond the high watermark.
 */
function oldestBatches(draft: Draft, store: Store, partition: Partition): BatchEntry[] {
  const { low, high } = draft.numbers(partition)
  const entries = store.entriesFrom(partition.id, low, stepBatches)
  return entries.map((entry, index) => ({ ...entry, nextOffset: Math.min(entry.nextOffset, entries[index + 1]?.baseOffset ?? high) }))
}

/** Removes the oldest batch and raises the low watermark. Missing offsets before the batch are recorded as lost. */
function removeOldest(draft: Draft, partition: Partition, entry: BatchEntry): void {
  const numbers = draft.numbers(partition)
  const { low } = numbers
  if (entry.baseOffset > low && !mayHaveHoles(partition) && lostAt(partition, low) === undefined)
    draft.lose(partition, {
      from: low,
      to: entry.baseOffset,
      reason: 'its records were not in the index when retention passed',
      atMs: draft.now(),
    })
  draft.change({ kind: 'remove-batch', id: partition.id, baseOffset: entry.baseOffset })
  draft.setNumbers(partition, {
    ...numbers,
    low: Math.max(low, entry.nextOffset),
    records: Math.max(0, numbers.records - entry.records),
    bytes: Math.max(0, numbers.bytes - entry.bytes),
    cleanedTo: Math.max(numbers.cleanedTo, entry.nextOffset),
  })
}

/**
 * Deletes batches that are older than the retention time, up to the limits of one step. Returns true if there may be more batches to
 * delete.
 */
export function expire(draft: Draft, store: Store, partition: Partition, now: number): boolean {
  const { spec } = partition.topic
  if (spec.cleanup === 'compact') return false
  const held = heldFrom(draft, partition)
  let freed = 0
  const entries = oldestBatches(draft, store, partition)
  for (const entry of entries) {
    if (entry.timestampMs > now - spec.retentionMs || entry.nextOffset > held) return false
    removeOldest(draft, partition, entry)
    if ((freed += entry.bytes) >= stepBytes) return true
  }
  return entries.length === stepBatches
}

/** Returns the reader with the most unread records, and the number of these records. */
function slowestReader(draft: Draft, topic: Topic): { reader: string; behind: number } | undefined {
  let slowest: { reader: string; behind: number } | undefined
  for (const reader of topic.spec.readers) {
    let behind = 0
    for (const partition of topic.partitions) {
      if (!holds(draft, reader, partition)) continue
      const { low, high } = draft.numbers(partition)
      behind += high - (draft.committed(reader, partition)?.offset ?? low)
    }
    if (!slowest || behind > slowest.behind) slowest = { reader, behind }
  }
  return slowest
}

/** A consumer that commits an offset of `topic` for `group`, and appends to the log in the same transaction. */
export interface Committer {
  readonly group: string
  readonly topic: string
}

/**
 * Makes room for an append: deletes records that all readers have read, oldest first, even before their retention time. Throws `log_full`
 * with the name of the reader that is behind. In a topic without readers, deletes records only if `dropsOldest` is set. `committer` is null
 * for a client's append.
 */
export function makeRoom(draft: Draft, store: Store, topic: Topic, bytes: number, committer: Committer | null): void {
  const limit = topic.spec.maxTopicBytes
  if (limit === undefined || draft.topicBytes(topic) + bytes <= limit) return
  const { readers, cleanup, dropsOldest = false, reserve } = topic.spec
  if ((readers.length > 0 || dropsOldest) && cleanup !== 'compact') {
    const target = limit - bytes - limit * HEADROOM
    // One call does not always free enough bytes. A rejected append to a topic with `dropsOldest` would stop the appending service. On such
    // a topic, the loop therefore continues until enough bytes are free, or until no batch is left that all readers have read.
    while (freeReadRecords(draft, store, topic, target) && dropsOldest);
  }
  const needed = draft.topicBytes(topic) + bytes
  if (needed <= limit) return

  const slowest = slowestReader(draft, topic)
  // An append can use the reserve (`reserve.bytes`) only if the slowest reader makes the append and, in the same transaction, commits its
  // own offset in the topic `reserve.of`. Without the reserve, the slowest reader would wait for itself: its append would fail until this
  // reader has read more. All other appends fail until the slowest reader has read more.
  const isOwnWait = reserve !== undefined && committer?.topic === reserve.of && committer.group === slowest?.reader
  if (isOwnWait && needed <= limit + reserve.bytes) return
  const why = slowest
    ? `reader ${slowest.reader} is behind by ${counted(slowest.behind, 'record')}`
    : 'it has no reader, and retention by time has freed nothing'
  throw new AppError('log_full', `Topic ${topic.spec.name} has reached its limit of ${limit} bytes: ${why}.`, {
    topic: topic.spec.name,
    limitBytes: limit,
    reader: slowest?.reader,
    behind: slowest?.behind,
  })
}

/**
 * Deletes batches whose records all readers have read. Returns true if the call has found at least one such batch and has deleted all
 * batches that it found. The topic can then still be above `target`.
 */
function freeReadRecords(draft: Draft, store: Store, topic: Topic, target: number): boolean {
  // The oldest batches of the topic are deleted first, no matter which partition they belong to.
  const read = topic.partitions.flatMap(partition => {
    const held = heldFrom(draft, partition)
    if (held <= draft.numbers(partition).low) return []
    return oldestBatches(draft, store, partition)
      .filter(entry => entry.nextOffset <= held)
      .map(entry => ({ partition, entry }))
  })
  read.sort((a, b) => a.entry.timestampMs - b.entry.timestampMs || a.entry.baseOffset - b.entry.baseOffset)
  for (const { partition, entry } of read) {
    if (draft.topicBytes(topic) <= target) return false
    removeOldest(draft, partition, entry)
  }
  return read.length > 0
}

/** Deletes some of the records below `offset`. Returns true if there are more to delete. */
export function deleteBelow(draft: Draft, store: Store, partition: Partition, offset: number): boolean {
  if (offset > heldFrom(draft, partition))
    throw new RangeError(`A reader of ${partition.topic.spec.name} has not yet read up to offset ${offset}.`)
  const entries = oldestBatches(draft, store, partition)
  for (const entry of entries) {
    if (entry.nextOffset <= offset) removeOldest(draft, partition, entry)
    else break
  }
  const numbers = draft.numbers(partition)
  const isDone = entries.length < stepBatches || entries.at(-1)!.nextOffset > offset
  // The low watermark becomes exactly `offset`, even if `offset` is within a batch. Deleted records therefore stay unreadable after the log
  // is reopened.
  const low = Math.max(numbers.low, Math.min(offset, numbers.high))
  if (isDone) draft.setNumbers(partition, { ...numbers, low, cleanedTo: Math.max(numbers.cleanedTo, low) })
  return !isDone
}
