// What may be deleted: by age, but never what a declared reader has not read; and early, read records only,
// when a topic is at its size limit.
import { AppError, counted } from '@svc-server/errors'
import { lostAt, mayHaveHoles } from './damage.ts'
import type { Draft, Partition, Topic } from './state.ts'
import type { BatchEntry, Store } from './store.ts'

// A step is one transaction's worth: reading the index for it takes well under a millisecond.
const stepBatches = 256
const stepBytes = 64 * 1024 * 1024
// A full topic is freed by this share at a time, so that not every append has to look for what can go.
const HEADROOM = 0.01

/** Whether it holds records of the partition: one that may never come does once it has committed there. */
const holds = (draft: Draft, reader: string, partition: Partition): boolean =>
  partition.topic.spec.lapsing?.includes(reader) !== true || draft.committed(reader, partition) !== undefined

/** First offset that a declared reader has still to read; Infinity when the topic has no readers. */
export function heldFrom(draft: Draft, partition: Partition): number {
  let held = Number.POSITIVE_INFINITY
  for (const reader of partition.topic.spec.readers) {
    if (!holds(draft, reader, partition)) continue
    held = Math.min(held, draft.committed(reader, partition)?.offset ?? draft.numbers(partition).low)
  }
  return held
}

/**
 * The oldest batches. One whose entry is damaged and reaches too far ends where the next one begins: nothing
 * that is there is passed over.
 */
function oldestBatches(draft: Draft, store: Store, partition: Partition): BatchEntry[] {
  const { low, high } = draft.numbers(partition)
  const entries = store.entriesFrom(partition.id, low, stepBatches)
  return entries.map((entry, index) => ({ ...entry, nextOffset: Math.min(entry.nextOffset, entries[index + 1]?.baseOffset ?? high) }))
}

/**
 * Takes the oldest batch out. The low watermark follows. What lacks before it is noted as lost, if nobody has
 * done so yet.
 */
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

/** One step of retention by time. Returns whether more may be due. */
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

/** The reader that keeps most of the topic, and how many records it has still to read. */
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

/** Whose transaction an append is part of: the group, and the topic that it commits on. */
export interface Committer {
  readonly group: string
  readonly topic: string
}

/**
 * Makes room for an append below the topic's size limit: read records go, oldest first, though they are
 * younger than retention. Throws `log_full` and names the reader that is behind. A topic that nobody is
 * declared to read is shortened for its size only when it drops its oldest. `committer`: null for a client.
 */
export function makeRoom(draft: Draft, store: Store, topic: Topic, bytes: number, committer: Committer | null): void {
  const limit = topic.spec.maxTopicBytes
  if (limit === undefined || draft.topicBytes(topic) + bytes <= limit) return
  const { readers, cleanup, dropsOldest = false, reserve } = topic.spec
  if ((readers.length > 0 || dropsOldest) && cleanup !== 'compact') {
    const target = limit - bytes - limit * HEADROOM
    // Where nobody reads, a step's worth of small batches may not be enough, and refusing would stop whoever
    // appends.
    while (freeReadRecords(draft, store, topic, target) && dropsOldest);
  }
  const needed = draft.topicBytes(topic) + bytes
  if (needed <= limit) return

  const slowest = slowestReader(draft, topic)
  // While another reader is further behind, waiting for it ends; and the reserve is there when it has come back.
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

/** Whether something was freed and more is to be. */
function freeReadRecords(draft: Draft, store: Store, topic: Topic, target: number): boolean {
  // Oldest first over all partitions; a step's worth of each is enough to free what one transaction appends.
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

/** One step of deleting what is below the offset. Returns whether there is more. */
export function deleteBelow(draft: Draft, store: Store, partition: Partition, offset: number): boolean {
  if (offset > heldFrom(draft, partition)) throw new RangeError(`A reader of ${partition.topic.spec.name} has not read up to ${offset}.`)
  const entries = oldestBatches(draft, store, partition)
  for (const entry of entries) {
    if (entry.nextOffset <= offset) removeOldest(draft, partition, entry)
    else break
  }
  const numbers = draft.numbers(partition)
  const isDone = entries.length < stepBatches || entries.at(-1)!.nextOffset > offset
  // In the middle of a batch, too: what was deleted is not to be read again, also when the log is opened
  // anew.
  const low = Math.max(numbers.low, Math.min(offset, numbers.high))
  if (isDone) draft.setNumbers(partition, { ...numbers, low, cleanedTo: Math.max(numbers.cleanedTo, low) })
  return !isDone
}
