// The event log as the rest of the workspace sees it. Two adapters implement it: embedded (LMDB) and Kafka.
// Architecture §4 is its contract; the conformance suite in test/ holds both adapters to it.
import type { AppError } from '@svc-server/errors'
import type { TopicSpec } from '@svc-server/schema/topic-spec'

export type { TopicSpec }

/**
 * Keys and values may be sent from where they are, even after they were refused for being late: the appender
 * never changes them again.
 */
export interface NewRecord {
  /** Absent key: the adapter chooses the partition (sticky). A key always goes to the same partition. */
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
  /** Append time of the log, milliseconds since the epoch. On the embedded log none is older than one before it, of any topic and partition. */
  readonly timestampMs: number
}

export interface LogRecord extends RecordPosition {
  readonly key: Uint8Array | null
  readonly value: Uint8Array | null
}

/**
 * A contiguous range of one partition. Offsets may have holes; `nextOffset` says where the range really ends.
 */
export interface FetchedBatch {
  readonly topic: string
  readonly partition: number
  /** Empty when compaction has taken everything out of the range: commit `nextOffset` then, too. */
  readonly records: readonly LogRecord[]
  /** First offset that this batch does not cover. */
  readonly nextOffset: number
  /** Next offset to be appended to the partition, as of this fetch. */
  readonly highWatermark: number
  /**
   * Frees the records' memory at once: their keys and values are empty afterwards. For who reads megabytes at a time, which would have V8 collect
   * its whole heap for every few of them. Absent where they share it with other batches.
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
  /** Absent: the group has committed nothing; reading starts at the low watermark. */
  readonly committed?: CommittedOffset
  readonly lowWatermark: number
  readonly highWatermark: number
}

export interface PartitionContext {
  /**
   * Where the group stands, as the owner of the partition knows it. After a commit of unknown outcome the
   * next batch is delivered only when that one has been shut out and the log has said what became of it;
   * `EventLog.committed` may be behind by what is being committed.
   */
  readonly committed: CommittedOffset | undefined
  /**
   * Commits the group's position with metadata. Committing the current position again only changes the
   * metadata (an intent). Rejects with `fenced` when the partition belongs to somebody else, or after onBatch
   * has returned: drop the work. While the consumer stops, a running batch may still commit.
   */
  commit(offset: number, metadata: string): Promise<void>
  /**
   * Atomically appends records and commits the position. Rejects as `append` and `commit` do; then neither is
   * done. Their bytes are the caller's again when it has settled.
   */
  commitWith(offset: number, metadata: string, appends: ReadonlyMap<string, readonly NewRecord[]>): Promise<void>
  /** Keeps membership alive during long work; rejects with `fenced` when a rebalance is under way. */
  heartbeat(): Promise<void>
  /** Aborts when the consumer stops or the partition is taken away. */
  readonly signal: AbortSignal
}

/**
 * `done`: go on behind the last commit. `pause`: nothing more is read of this partition for `afterMs`, then
 * from the last commit. What was delivered and is not committed comes again and ends at the same offset,
 * whatever has been appended since.
 */
export type BatchOutcome = { readonly kind: 'done' } | { readonly kind: 'pause'; readonly afterMs: number }

export interface ConsumeOptions {
  readonly group: string
  readonly topics: readonly string[]
  /** A batch is delivered when this many bytes are there, or after maxWaitMs with whatever there is. */
  readonly minBytes: number
  readonly maxWaitMs: number
  /** Largest batch in bytes of key + value; one record larger than it is delivered alone. */
  readonly maxBatchBytes: number
  /** Partitions handled at the same time. Batches of one partition never overlap. */
  readonly concurrency: number
  /**
   * Topics that others do not wait for: one batch more is handled at a time, and neither these topics nor the
   * others hold more than `concurrency` places of all. On Kafka batches are handed over in the order of the
   * brokers' answers, and this says nothing.
   */
  readonly background?: readonly string[]
  /**
   * Called once per assignment before the first batch. May return, per partition, the offset at which the
   * first batch ends (exclusive), whatever the limits: so an open intent [a,b] is delivered whole, by until =
   * b + 1.
   */
  onAssigned?(partitions: readonly AssignedPartition[]): Promise<readonly { topic: string; partition: number; until: number }[]>
  /**
   * A retryable AppError thrown here pauses the partition for its shortest Retry-After. Anything else is a
   * bug and fatal.
   */
  onBatch(batch: FetchedBatch, context: PartitionContext): Promise<BatchOutcome>
  /**
   * What is stored of a partition, or of one that `onBatch` reads, is damaged (`log_corrupt`): it stops, the
   * others go on. It is tried again now and then, and goes on once the damage is mended or given up. Without
   * this method the consumer ends.
   */
  onPartitionHalted?(at: { readonly topic: string; readonly partition: number }, error: AppError): void
  /**
   * The consumer has ended for good: `offset_out_of_range`, a bug thrown by onBatch, and on the embedded log
   * `fenced`, when another consumer of the same group was started in this process.
   */
  onFatal(error: unknown): void
}

export interface Consumer {
  /** Finishes running batches, or running work, then leaves. */
  stop(): Promise<void>
}

/**
 * What an owner may do on its partition while `work` runs. Its commits name the member and its generation, so
 * the group refuses those of a former one.
 */
export interface OwnedPartition extends Omit<PartitionContext, 'heartbeat'> {
  readonly topic: string
  readonly partition: number
}

export interface OwnOptions {
  readonly group: string
  readonly topics: readonly string[]
  /** Called once per assignment, after former owners were shut out and before any work on it. */
  onAssigned?(partitions: readonly AssignedPartition[]): Promise<void>
  /**
   * Works on a partition for as long as it likes, or until its signal aborts. Nothing is delivered: what it
   * wants to see it reads with `EventLog.read`, and membership is kept alive without it. It is called while
   * the partition has records that the group has not committed: at once after the assignment, then as its
   * answer says. Calls for one partition never overlap, those for several run side by side.
   *
   * When the group is rebalanced or the consumer stops, the signal aborts, and the member gives nothing up
   * before `work` has settled; until then it may still commit. Only a member that takes longer than the group
   * waits is put out before that, and shut out by whoever takes its partitions over.
   *
   * A retryable AppError pauses the partition for its shortest Retry-After, `fenced` ends the turn. Anything
   * else is a bug and fatal.
   */
  work(partition: OwnedPartition): Promise<BatchOutcome>
  /** As `ConsumeOptions.onPartitionHalted`, for what `work` reads. */
  onPartitionHalted?(at: { readonly topic: string; readonly partition: number }, error: AppError): void
  /** As `ConsumeOptions.onFatal`. */
  onFatal(error: unknown): void
}

/** Offsets of which the embedded log was damaged, and that an operator has given up: readers go over them. */
export interface LostRange {
  readonly from: number
  /** Exclusive. */
  readonly to: number
  readonly reason: string
  /** When it was given up, milliseconds since the epoch. */
  readonly atMs: number
}

/** What is damaged below an offset, and what becomes of it. */
export interface SkipReport {
  /** Given up: nothing can be read there. */
  readonly lost: readonly Pick<LostRange, 'from' | 'to' | 'reason'>[]
  /** Whole records that only the index did not know: readable again. */
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
  /** Ascending; retention may have passed them. */
  readonly lost?: readonly LostRange[]
}

export interface GroupLag {
  readonly group: string
  readonly topic: string
  readonly partition: number
  readonly committed: number
  readonly lagRecords: number
  /** Age of the oldest record that is not committed, milliseconds; 0 when there is none. */
  readonly lagMs: number
}

export interface TopicDescription {
  readonly spec: TopicSpec
  readonly partitions: readonly PartitionDescription[]
}

export interface EventLog {
  readonly kind: 'embedded' | 'kafka'
  /** Tells a recreated log apart: cluster id and topic id, or the embedded log's UUID. */
  logId(topic: string): string
  /**
   * Resolves when every record is durable, positions in the order given. Rejects with log_unavailable (the
   * records may be there all the same), log_full, overloaded or record_too_large (then they are not).
   */
  append(topic: string, records: readonly NewRecord[]): Promise<readonly RecordPosition[]>
  consume(options: ConsumeOptions): Promise<Consumer>
  /** A member of a group that owns partitions without being handed their records. */
  own(options: OwnOptions): Promise<Consumer>
  /** Reads from an offset without a group. Rejects with `offset_out_of_range` below the low watermark. */
  read(topic: string, partition: number, from: number, maxBytes: number): Promise<FetchedBatch>
  /** For those who watch a group. May be behind by what its members are committing. */
  committed(group: string, topic: string): Promise<ReadonlyMap<number, CommittedOffset>>
  /**
   * Deletes the records below the offset, of a topic without declared readers: an operator's decision. The
   * low watermark follows, on the embedded log to exactly there.
   */
  deleteBefore(topic: string, partition: number, offset: number): Promise<void>
  describe(): Promise<readonly TopicDescription[]>
  lag(): Promise<readonly GroupLag[]>
  /**
   * Embedded log: gives up what is damaged below `to`, durably, so that readers go on behind it; what is
   * whole stays. Without `confirmed` it only says what it would do.
   */
  skip?(
    at: { readonly topic: string; readonly partition: number },
    to: number,
    options: { readonly confirmed: boolean },
  ): Promise<SkipReport>
  /** Ends after what was appended is answered. */
  close(): Promise<void>
}
