// The event log's interface, with two adapters: embedded (LMDB) and Kafka. Architecture §4 describes the contract, and the conformance
// suite in test/ checks both adapters.
import type { AppError } from '@svc-server/errors'
import type { TopicSpec } from '@svc-server/schema/topic-spec'

export type { TopicSpec }

/**
 * The log does not always copy keys and values, and can still send them after the append was rejected. Callers must therefore never change
 * the bytes after the call of `append`.
 */
export interface NewRecord {
  /** Records with equal keys go to the same partition. Records without a key stay on one partition for a while (partitioner.ts). */
  readonly key: Uint8Array | null
  /** In a compacted topic, null is a tombstone. */
  readonly value: Uint8Array | null
  /** The record goes to this partition, whatever its key is. */
  readonly partition?: number
}

export interface RecordPosition {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  /**
   * Time at which the log appended the record, in milliseconds since the epoch. In the embedded log, this time never decreases, even across
   * topics and partitions.
   */
  readonly timestampMs: number
}

export interface LogRecord extends RecordPosition {
  readonly key: Uint8Array | null
  readonly value: Uint8Array | null
}

/** A contiguous range of one partition. Some of its offsets may have no record. */
export interface FetchedBatch {
  readonly topic: string
  readonly partition: number
  /** Empty when compaction has removed every record. Even then, the handler must commit `nextOffset`. */
  readonly records: readonly LogRecord[]
  /** First offset after the range. */
  readonly nextOffset: number
  /** The end of the partition at the time of this fetch: the offset for the next appended record. */
  readonly highWatermark: number
  /**
   * Frees the records' memory: their keys and values become empty. Without this method, large batches would make V8 collect its whole heap
   * every few megabytes.
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
  /** Absent if the group has committed nothing; reading then starts at the low watermark. */
  readonly committed?: CommittedOffset
  readonly lowWatermark: number
  readonly highWatermark: number
}

export interface PartitionContext {
  /** The group's position, as the partition's owner knows it. `EventLog.committed`, in contrast, can miss a commit in progress. */
  readonly committed: CommittedOffset | undefined
  /**
   * Commits the group's position with metadata. The metadata can announce the next batch (an intent). Committing the current position again
   * changes only the metadata. Rejects with `fenced` if the partition belongs to a different member, or if onBatch has returned. A running
   * batch can still commit while the consumer stops.
   */
  commit(offset: number, metadata: string): Promise<void>
  /**
   * Atomically appends records and commits the position. If the call rejects, it has appended and committed nothing. The call rejects with
   * the errors of `append` and `commit`. Once the promise has settled, the caller can reuse the bytes.
   */
  commitWith(offset: number, metadata: string, appends: ReadonlyMap<string, readonly NewRecord[]>): Promise<void>
  /** Keeps the membership alive during long work. Rejects with `fenced` when a rebalance is in progress. */
  heartbeat(): Promise<void>
  /** Aborts when the consumer stops or loses the partition. */
  readonly signal: AbortSignal
}

/**
 * `done`: the log continues after the last commit. `pause`: the log waits for `afterMs` before it continues there. The log delivers an
 * uncommitted batch again. The repeated batch ends at the same record.
 */
export type BatchOutcome = { readonly kind: 'done' } | { readonly kind: 'pause'; readonly afterMs: number }

export interface ConsumeOptions {
  readonly group: string
  readonly topics: readonly string[]
  /** A batch is delivered when this many bytes are available, or after maxWaitMs. */
  readonly minBytes: number
  readonly maxWaitMs: number
  /** Maximum bytes of keys and values in a batch. A larger record is delivered alone. */
  readonly maxBatchBytes: number
  /** Maximum number of partitions that are handled at once. Batches of one partition never overlap. */
  readonly concurrency: number
  /**
   * If there are background topics, the consumer has `concurrency + 1` slots. Each slot handles one partition at a time. One slot is
   * reserved for background topics, and another slot is reserved for foreground topics. This option has no effect on Kafka, which delivers
   * in the order of the brokers' responses.
   */
  readonly background?: readonly string[]
  /**
   * Called once per assignment, before the first batch. For each partition, the function can return `until`, the exclusive end of the first
   * batch. This end replaces the size limits. If the former owner has announced a batch (an open intent), the function returns the batch's
   * end.
   */
  onAssigned?(partitions: readonly AssignedPartition[]): Promise<readonly { topic: string; partition: number; until: number }[]>
  /**
   * Handles a batch. If `onBatch` throws a retryable AppError, the partition pauses. The pause lasts for the lower bound of the error's
   * `retryAfterMs` in the catalog, or one second if the catalog has no `retryAfterMs` for the error. Any other error is a bug and ends the
   * consumer.
   */
  onBatch(batch: FetchedBatch, context: PartitionContext): Promise<BatchOutcome>
  /**
   * Called when a partition halts because of damaged data (`log_corrupt`). The damaged data are the partition's own records, or other
   * records that `onBatch` reads. Other partitions continue, and the log retries the halted partition from time to time. Without this
   * method, the consumer ends instead.
   */
  onPartitionHalted?(at: { readonly topic: string; readonly partition: number }, error: AppError): void
  /**
   * Called when the consumer has ended permanently: after `offset_out_of_range`, or after an unexpected error in onBatch. The embedded log
   * also calls this function, with `fenced`, when this process starts a second consumer of the group.
   */
  onFatal(error: unknown): void
}

export interface Consumer {
  /** Waits for running batches or work, and then leaves the group. */
  stop(): Promise<void>
}

/**
 * The partition on which `work` of an owner is running. An owner is a member of the consumer group. Each commit contains the member's id
 * and generation, so brokers reject the commits of a former owner.
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
   * The log calls `work` after the assignment, and later whenever the group has unread records. The result determines when the next call
   * may follow. Calls for one partition never overlap; calls for several partitions run concurrently. The log keeps the membership alive
   * while `work` runs.
   *
   * When the group rebalances or the owner stops, the signal aborts. The member keeps its partitions and can commit until `work` has
   * settled. If `work` does not settle within the rebalance timeout, the group expels the member, and the partition's next owner fences the
   * expelled member.
   *
   * If `work` throws a retryable AppError, the partition pauses. The pause lasts for the lower bound of the error's `retryAfterMs` in the
   * catalog, or one second if the catalog has no `retryAfterMs` for the error. `fenced` ends the work. Any other error is a bug and ends
   * the membership permanently (`onFatal`).
   */
  work(partition: OwnedPartition): Promise<BatchOutcome>
  /** Like `ConsumeOptions.onPartitionHalted`, but for data that `work` reads. */
  onPartitionHalted?(at: { readonly topic: string; readonly partition: number }, error: AppError): void
  /** Like `ConsumeOptions.onFatal`. */
  onFatal(error: unknown): void
}

/** A damaged range that an operator has skipped. Readers continue after it. */
export interface LostRange {
  readonly from: number
  /** Exclusive. */
  readonly to: number
  readonly reason: string
  /** Time of the skip, in milliseconds since the epoch. */
  readonly atMs: number
}

/** The result of a skip, or of its preview. */
export interface SkipReport {
  /** Ranges of unreadable records. */
  readonly lost: readonly Pick<LostRange, 'from' | 'to' | 'reason'>[]
  /** Intact records whose index entry was missing or wrong. A skip restores the entries, so that readers can read these records again. */
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
  /** Age of the oldest uncommitted record in milliseconds; 0 if there is none. */
  readonly lagMs: number
}

export interface TopicDescription {
  readonly spec: TopicSpec
  readonly partitions: readonly PartitionDescription[]
}

export interface EventLog {
  readonly kind: 'embedded' | 'kafka'
  /**
   * Returns an id that changes when the log is recreated. On Kafka, the id consists of the cluster id and the topic id. In the embedded
   * log, it is the log's UUID.
   */
  logId(topic: string): string
  /**
   * Resolves when every record is durable. The result has the position of each record, in the order of `records`. After `log_unavailable`,
   * the records may have been written, or may still be written. After `log_full`, `overloaded` or `record_too_large`, nothing is written.
   */
  append(topic: string, records: readonly NewRecord[]): Promise<readonly RecordPosition[]>
  consume(options: ConsumeOptions): Promise<Consumer>
  /** Starts a group member that owns partitions but receives no records. */
  own(options: OwnOptions): Promise<Consumer>
  /** Reads without a group. Rejects with `offset_out_of_range` below the low watermark. */
  read(topic: string, partition: number, from: number, maxBytes: number): Promise<FetchedBatch>
  /** Returns a group's committed offsets for monitoring. The result can lack commits that are in progress. */
  committed(group: string, topic: string): Promise<ReadonlyMap<number, CommittedOffset>>
  /**
   * Deletes records below `offset`. The topic must have no declared readers. In the embedded log, the partition's low watermark is
   * then exactly `offset`.
   */
  deleteBefore(topic: string, partition: number, offset: number): Promise<void>
  describe(): Promise<readonly TopicDescription[]>
  lag(): Promise<readonly GroupLag[]>
  /**
   * Permanently skips the damaged ranges below `to`, and keeps all intact records. If `confirmed` is false, `skip` changes nothing and
   * only reports what it would do. Only the embedded log has this method.
   */
  skip?(
    at: { readonly topic: string; readonly partition: number },
    to: number,
    options: { readonly confirmed: boolean },
  ): Promise<SkipReport>
  close(): Promise<void>
}
