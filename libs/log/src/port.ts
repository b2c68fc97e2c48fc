// The event log's interface for all other packages of the workspace. Two adapters implement the port: embedded (LMDB) and Kafka.
// Architecture §4 describes the contract, and the conformance suite in test/ tests that both adapters fulfill it.
import type { AppError } from '@svc-server/errors'
import type { TopicSpec } from '@svc-server/schema/topic-spec'

export type { TopicSpec }

/**
 * A record to append. The log can send keys and values without copying them, even after it has rejected the append. Callers must never
 * change the bytes after the append.
 */
export interface NewRecord {
  /** If the key is null, the adapter chooses the partition (sticky). Records with equal keys are always appended to the same partition. */
  readonly key: Uint8Array | null
  /** Null is a tombstone if the topic is compacted. */
  readonly value: Uint8Array | null
  /** Overrides the partition that follows from the key. */
  readonly partition?: number
}

export interface RecordPosition {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  /**
   * Time when the log appended the record, in milliseconds since the epoch. In the embedded log, this time never decreases, even across
   * topics and partitions.
   */
  readonly timestampMs: number
}

export interface LogRecord extends RecordPosition {
  readonly key: Uint8Array | null
  readonly value: Uint8Array | null
}

/** A contiguous range of one partition. Some offsets in the range may have no record. */
export interface FetchedBatch {
  readonly topic: string
  readonly partition: number
  /** Empty when compaction has removed every record of the range. The handler must commit `nextOffset` even if the batch is empty. */
  readonly records: readonly LogRecord[]
  /** First offset after the range of this batch. */
  readonly nextOffset: number
  /** Offset of the next append to the partition, as of this fetch. */
  readonly highWatermark: number
  /**
   * Frees the records' memory immediately, which empties their keys and values. Readers of large batches should free their records, because
   * otherwise V8 would collect its whole heap every few megabytes.
   */
  readonly release?: () => void
}

export interface CommittedOffset {
  readonly offset: number
  /** At most 4,096 characters. */
  readonly metadata: string
}

export interface AssignedPartition {
  readonly topic: string
  readonly partition: number
  /** Absent if the group has committed nothing. Without a commit, reading starts at the low watermark. */
  readonly committed?: CommittedOffset
  readonly lowWatermark: number
  readonly highWatermark: number
}

export interface PartitionContext {
  /**
   * The group's position, as the partition's owner knows it. After a commit with unknown outcome, the log determines the outcome before it
   * delivers the next batch. In contrast, `EventLog.committed` can miss a commit in progress.
   */
  readonly committed: CommittedOffset | undefined
  /**
   * Commits the group's position with metadata. A repeated commit of the current position changes only the metadata, which can announce the
   * next batch (an intent). Rejects with `fenced` if the partition belongs to a different member, or if onBatch has returned. A running
   * batch can still commit while the consumer stops.
   */
  commit(offset: number, metadata: string): Promise<void>
  /**
   * Atomically appends records and commits the position. Rejects with the errors of `append` and `commit`. After a rejection, nothing has
   * been appended or committed. When the promise has settled, the caller can reuse the bytes.
   */
  commitWith(offset: number, metadata: string, appends: ReadonlyMap<string, readonly NewRecord[]>): Promise<void>
  /** Keeps the group membership alive during long work. Rejects with `fenced` when a rebalance is in progress. */
  heartbeat(): Promise<void>
  /** Aborts when the consumer stops or loses the partition. */
  readonly signal: AbortSignal
}

/**
 * `done`: the log continues after the last commit. `pause`: do not read this partition for `afterMs`, then continue from the last commit.
 * If a batch was delivered but not committed, it is delivered again with the same end, even if more records have been appended in the
 * meantime.
 */
export type BatchOutcome = { readonly kind: 'done' } | { readonly kind: 'pause'; readonly afterMs: number }

export interface ConsumeOptions {
  readonly group: string
  readonly topics: readonly string[]
  /** The log delivers a batch when this many bytes are available. After maxWaitMs, the log delivers a smaller batch. */
  readonly minBytes: number
  readonly maxWaitMs: number
  /** Largest batch in bytes of key and value. A record above the limit is delivered alone. */
  readonly maxBatchBytes: number
  /** Maximum number of partitions that the consumer handles at the same time. Batches of one partition never overlap. */
  readonly concurrency: number
  /**
   * Background topics. If this list has topics, the consumer has one slot more than `concurrency`. Background topics leave one slot free
   * for foreground topics, and foreground topics leave one for background topics. On Kafka, the setting has no effect: batches are
   * delivered in the order of the brokers' responses.
   */
  readonly background?: readonly string[]
  /**
   * Called once per assignment, before the first batch. For each partition, the function can return the exclusive end of the first batch.
   * The returned end replaces the limits on the batch's size. With `until` = b + 1, the log delivers an announced batch [a,b] (an open
   * intent) as one batch.
   */
  onAssigned?(partitions: readonly AssignedPartition[]): Promise<readonly { topic: string; partition: number; until: number }[]>
  /**
   * Handles one batch. A retryable AppError pauses the partition for the error's minimum Retry-After. Any other error is a bug and fatal.
   */
  onBatch(batch: FetchedBatch, context: PartitionContext): Promise<BatchOutcome>
  /**
   * Called if stored data is damaged (`log_corrupt`), in this partition or in a partition that `onBatch` reads. The partition halts, and
   * other partitions continue. The log retries the partition from time to time, until the damage is repaired or skipped. A consumer without
   * this method ends when stored data is damaged.
   */
  onPartitionHalted?(at: { readonly topic: string; readonly partition: number }, error: AppError): void
  /**
   * Called when the consumer has ended permanently: after `offset_out_of_range`, or after an unexpected error in onBatch. On the embedded
   * log, `onFatal` is also called with `fenced` when this process starts a second consumer of the same group.
   */
  onFatal(error: unknown): void
}

export interface Consumer {
  /** Waits until running batches or work have finished, and then leaves the group. */
  stop(): Promise<void>
}

/**
 * A partition of an owner while `work` is running. Commits contain the member's id and generation, so the brokers reject commits of a
 * former owner.
 */
export interface OwnedPartition extends Omit<PartitionContext, 'heartbeat'> {
  readonly topic: string
  readonly partition: number
}

export interface OwnOptions {
  readonly group: string
  readonly topics: readonly string[]
  /** Called once per assignment, after former owners are fenced and before any work starts. */
  onAssigned?(partitions: readonly AssignedPartition[]): Promise<void>
  /**
   * Works on a partition until the work is done or the signal aborts. The log delivers no records; `work` reads them with `EventLog.read`.
   * The log keeps the membership alive while `work` runs. The log calls `work` whenever the partition has records that the group has not
   * committed. The first call follows the assignment. The result of a call of `work` determines when the next call may follow. Calls for
   * one partition never overlap; calls for several partitions run concurrently.
   *
   * When the group rebalances or the owner stops, the signal aborts. The member keeps its partitions and can commit until `work` has
   * settled. If `work` takes longer than the rebalance timeout, the group expels the member, and the next owner fences it.
   *
   * A retryable AppError pauses the partition for the error's minimum Retry-After, and `fenced` ends the work. Any other error is a bug and
   * fatal.
   */
  work(partition: OwnedPartition): Promise<BatchOutcome>
  /** Called in the same cases as `ConsumeOptions.onPartitionHalted`, but for data that `work` reads. */
  onPartitionHalted?(at: { readonly topic: string; readonly partition: number }, error: AppError): void
  /** Like `ConsumeOptions.onFatal`. */
  onFatal(error: unknown): void
}

/** A damaged range of the embedded log that an operator has skipped. Readers also skip this range. */
export interface LostRange {
  readonly from: number
  /** Exclusive. */
  readonly to: number
  readonly reason: string
  /** Time at which the operator skipped the range, in milliseconds since the epoch. */
  readonly atMs: number
}

/** The damage below an offset, and what a skip would do with it. */
export interface SkipReport {
  /** Skipped ranges, whose records are unreadable. */
  readonly lost: readonly Pick<LostRange, 'from' | 'to' | 'reason'>[]
  /** Ranges of intact records whose index entry was missing or wrong. These records are readable again. */
  readonly restored: readonly { readonly from: number; readonly to: number }[]
}

export interface PartitionDescription {
  readonly partition: number
  readonly lowWatermark: number
  readonly highWatermark: number
  readonly records: number
  readonly bytes: number
  readonly oldestTimestampMs?: number
  readonly newestTimestampMs?: number
  /** Skipped ranges in ascending order. */
  readonly lost?: readonly LostRange[]
}

export interface GroupLag {
  readonly group: string
  readonly topic: string
  readonly partition: number
  readonly committed: number
  readonly lagRecords: number
  /** Age of the oldest uncommitted record in milliseconds. 0 when all records are committed. */
  readonly lagMs: number
}

export interface TopicDescription {
  readonly spec: TopicSpec
  readonly partitions: readonly PartitionDescription[]
}

export interface EventLog {
  readonly kind: 'embedded' | 'kafka'
  /** Returns an id that changes when the log is recreated: cluster id and topic id, or the embedded log's UUID. */
  logId(topic: string): string
  /**
   * Resolves when every record is durable, with the records' positions in the given order. After a rejection with `log_unavailable`, the
   * records can still be written. After `log_full`, `overloaded` or `record_too_large`, nothing is written.
   */
  append(topic: string, records: readonly NewRecord[]): Promise<readonly RecordPosition[]>
  consume(options: ConsumeOptions): Promise<Consumer>
  /** Starts a group member that owns partitions but receives no records. */
  own(options: OwnOptions): Promise<Consumer>
  /** Reads from an offset without a group. Rejects with `offset_out_of_range` below the low watermark. */
  read(topic: string, partition: number, from: number, maxBytes: number): Promise<FetchedBatch>
  /** Returns a group's committed offsets for monitoring. The result can miss commits in progress. */
  committed(group: string, topic: string): Promise<ReadonlyMap<number, CommittedOffset>>
  /**
   * Deletes the records below the offset from a topic without declared readers. The low watermark rises; in the embedded log, it becomes
   * exactly this offset.
   */
  deleteBefore(topic: string, partition: number, offset: number): Promise<void>
  describe(): Promise<readonly TopicDescription[]>
  lag(): Promise<readonly GroupLag[]>
  /**
   * Only in the embedded log: skips damaged ranges below `to` permanently, so that readers continue after them. Intact records stay.
   * Without `confirmed`, `skip` only reports what it would do.
   */
  skip?(
    at: { readonly topic: string; readonly partition: number },
    to: number,
    options: { readonly confirmed: boolean },
  ): Promise<SkipReport>
  /** Resolves after every append has settled. */
  close(): Promise<void>
}
