// The event log's interface for all other packages of the workspace. Two adapters implement it: embedded (LMDB) and Kafka.
// Architecture §4 is its contract, and the conformance suite in test/ holds both adapters to it.
import type { AppError } from '@svc-server/errors'
import type { TopicSpec } from '@svc-server/schema/topic-spec'

export type { TopicSpec }

/**
 * A record to append. The log may send keys and values without copying them, even after a late refusal, so the
 * appender must never change them again.
 */
export interface NewRecord {
  /** Null lets the adapter choose the partition (sticky). Equal keys always go to the same partition. */
  readonly key: Uint8Array | null
  /** Null is a tombstone on compacted topics. */
  readonly value: Uint8Array | null
  /** Overrides the choice by key. */
  readonly partition?: number
}

export interface RecordPosition {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  /**
   * Append time of the log, in milliseconds since the epoch. On the embedded log it never decreases, over all topics
   * and partitions.
   */
  readonly timestampMs: number
}

export interface LogRecord extends RecordPosition {
  readonly key: Uint8Array | null
  readonly value: Uint8Array | null
}

/** A contiguous range of one partition. Offsets may have holes; `nextOffset` is the real end of the range. */
export interface FetchedBatch {
  readonly topic: string
  readonly partition: number
  /** Empty when compaction has removed every record of the range. The handler must commit `nextOffset` then, too. */
  readonly records: readonly LogRecord[]
  /** First offset that this batch does not cover. */
  readonly nextOffset: number
  /** Offset of the next append to the partition, as of this fetch. */
  readonly highWatermark: number
  /**
   * Frees the records' memory at once, which empties their keys and values. Readers of megabytes at a time should call it, because
   * otherwise V8 would collect its whole heap every few megabytes. Absent when the memory is shared with other batches.
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
  /** Absent when the group has committed nothing; reading then starts at the low watermark. */
  readonly committed?: CommittedOffset
  readonly lowWatermark: number
  readonly highWatermark: number
}

export interface PartitionContext {
  /**
   * The group's position as the owner of the partition knows it. After a commit with unknown outcome, the log
   * determines the outcome before it delivers the next batch. `EventLog.committed` may miss a commit in progress.
   */
  readonly committed: CommittedOffset | undefined
  /**
   * Commits the group's position with metadata. Committing the current position again only changes the metadata (an
   * intent). Rejects with `fenced` when the partition belongs to another member, or after onBatch has returned: the
   * caller then drops the work. A running batch may still commit while the consumer stops.
   */
  commit(offset: number, metadata: string): Promise<void>
  /**
   * Atomically appends records and commits the position. Rejects as `append` and `commit` do, and has then neither appended nor committed.
   * Once it has settled, the caller may reuse the bytes.
   */
  commitWith(offset: number, metadata: string, appends: ReadonlyMap<string, readonly NewRecord[]>): Promise<void>
  /** Keeps the membership alive during long work. Rejects with `fenced` when a rebalance is in progress. */
  heartbeat(): Promise<void>
  /** Aborts when the consumer stops or loses the partition. */
  readonly signal: AbortSignal
}

/**
 * `done`: continue behind the last commit. `pause`: read nothing more of this partition for `afterMs`, then continue
 * from the last commit. A batch that was delivered but not committed is delivered again with the same end, whatever
 * has been appended since.
 */
export type BatchOutcome = { readonly kind: 'done' } | { readonly kind: 'pause'; readonly afterMs: number }

export interface ConsumeOptions {
  readonly group: string
  readonly topics: readonly string[]
  /** The log delivers a batch when this many bytes are there, or after maxWaitMs whatever is there. */
  readonly minBytes: number
  readonly maxWaitMs: number
  /** Largest batch in bytes of key and value. A larger record is delivered alone. */
  readonly maxBatchBytes: number
  /** Maximum partitions handled at the same time. Batches of one partition never overlap. */
  readonly concurrency: number
  /**
   * Background topics, which get one extra slot. Neither these topics nor the foreground ones hold more than
   * `concurrency` slots. On Kafka the setting has no effect: batches are delivered in the order of the brokers'
   * responses.
   */
  readonly background?: readonly string[]
  /**
   * Called once per assignment, before the first batch. It may return, per partition, the exclusive end of the first
   * batch, whatever the limits. The log delivers an open intent [a,b] whole this way, with until = b + 1.
   */
  onAssigned?(partitions: readonly AssignedPartition[]): Promise<readonly { topic: string; partition: number; until: number }[]>
  /**
   * Handles one batch. A retryable AppError pauses the partition for its shortest Retry-After. Any other error is a
   * bug and fatal.
   */
  onBatch(batch: FetchedBatch, context: PartitionContext): Promise<BatchOutcome>
  /**
   * Called when stored data of the partition, or of one that `onBatch` reads, is damaged (`log_corrupt`). The
   * partition halts and the others continue. The log retries it from time to time, until the damage is repaired or
   * skipped. Without this method the consumer ends.
   */
  onPartitionHalted?(at: { readonly topic: string; readonly partition: number }, error: AppError): void
  /**
   * Called when the consumer has ended for good: on `offset_out_of_range`, on a bug thrown by onBatch, and on the
   * embedded log with `fenced` when this process starts another consumer of the same group.
   */
  onFatal(error: unknown): void
}

export interface Consumer {
  /** Finishes running batches or work, then leaves the group. */
  stop(): Promise<void>
}

/**
 * Allows an owner to commit on its partition while `work` runs. Its commits name the member and its generation, so
 * the group refuses commits of a former owner.
 */
export interface OwnedPartition extends Omit<PartitionContext, 'heartbeat'> {
  readonly topic: string
  readonly partition: number
}

export interface OwnOptions {
  readonly group: string
  readonly topics: readonly string[]
  /** Called once per assignment, after former owners are fenced and before any work. */
  onAssigned?(partitions: readonly AssignedPartition[]): Promise<void>
  /**
   * Works on a partition for as long as it needs, or until its signal aborts. The log delivers no records: the work
   * reads them with `EventLog.read`, and the log keeps the membership alive. The log calls `work` while the partition has records that the
   * group has not committed: at once after the assignment, then when the outcome of the previous call requests it. Calls for one partition
   * never overlap; calls for several run side by side.
   *
   * When the group rebalances or the consumer stops, the signal aborts, and the member keeps its partitions until
   * `work` has settled. Until then it may still commit. The group expels a member only when its work takes longer than the rebalance
   * timeout. The next owner of its partitions then fences it.
   *
   * A retryable AppError pauses the partition for its shortest Retry-After, and `fenced` ends the run. Any other
   * error is a bug and fatal.
   */
  work(partition: OwnedPartition): Promise<BatchOutcome>
  /** Like `ConsumeOptions.onPartitionHalted`, for data that `work` reads. */
  onPartitionHalted?(at: { readonly topic: string; readonly partition: number }, error: AppError): void
  /** Like `ConsumeOptions.onFatal`. */
  onFatal(error: unknown): void
}

/** Damaged offsets of the embedded log that an operator has skipped. Readers pass over them. */
export interface LostRange {
  readonly from: number
  /** Exclusive. */
  readonly to: number
  readonly reason: string
  /** When the operator skipped the range, in milliseconds since the epoch. */
  readonly atMs: number
}

/** The damage below an offset, and what a skip does about it. */
export interface SkipReport {
  /** Skipped ranges: nothing in them is readable. */
  readonly lost: readonly Pick<LostRange, 'from' | 'to' | 'reason'>[]
  /** Intact records that were missing only in the index. They are readable again. */
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
  /** Ascending. Retention may have passed some of them. */
  readonly lost?: readonly LostRange[]
}

export interface GroupLag {
  readonly group: string
  readonly topic: string
  readonly partition: number
  readonly committed: number
  readonly lagRecords: number
  /** Age of the oldest uncommitted record in milliseconds; 0 when all are committed. */
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
   * Resolves with positions in the given order once every record is durable. Rejects with log_unavailable (the
   * records may still be written), or with log_full, overloaded or record_too_large (nothing is written).
   */
  append(topic: string, records: readonly NewRecord[]): Promise<readonly RecordPosition[]>
  consume(options: ConsumeOptions): Promise<Consumer>
  /** Starts a group member that owns partitions but receives no records. */
  own(options: OwnOptions): Promise<Consumer>
  /** Reads from an offset without a group. Rejects with `offset_out_of_range` below the low watermark. */
  read(topic: string, partition: number, from: number, maxBytes: number): Promise<FetchedBatch>
  /** Returns a group's commits for monitoring. They may miss commits in progress. */
  committed(group: string, topic: string): Promise<ReadonlyMap<number, CommittedOffset>>
  /**
   * Deletes the records below the offset on a topic without declared readers. Only an operator decides this. The low
   * watermark follows; on the embedded log it moves to exactly this offset.
   */
  deleteBefore(topic: string, partition: number, offset: number): Promise<void>
  describe(): Promise<readonly TopicDescription[]>
  lag(): Promise<readonly GroupLag[]>
  /**
   * Embedded log only: skips damage below `to` durably, so that readers continue behind it. Intact records stay.
   * Without `confirmed` it only reports what it would do.
   */
  skip?(
    at: { readonly topic: string; readonly partition: number },
    to: number,
    options: { readonly confirmed: boolean },
  ): Promise<SkipReport>
  /** Resolves after every append has settled. */
  close(): Promise<void>
}
