// The definition of a topic, kept with the records and applied by the log's adapters.

export interface TopicSpec {
  /** Name without the configurable prefix. */
  readonly name: string
  readonly partitions: number
  readonly cleanup: 'delete' | 'compact' | 'compact,delete'
  readonly retentionMs: number
  /** Largest record (key + value) in bytes. A larger append fails with `record_too_large`. */
  readonly maxRecordBytes: number
  /** Groups whose unread records retention never deletes. Only groups enabled in this mode are listed. */
  readonly readers: readonly string[]
  /** Readers that may never start. They hold records only after their first commit. */
  readonly lapsing?: readonly string[]
  /**
   * Embedded log: topic bytes at which appends fail with `log_full`. Before it refuses an append, the log deletes records that every
   * declared reader has read, oldest first, even when they are younger than the retention. A topic without readers is shortened this way
   * only with `dropsOldest`.
   */
  readonly maxTopicBytes?: number
  /**
   * Embedded log: space above `maxTopicBytes` for transactions that commit on the other topic, by the group that
   * holds back most of this one. That group derives records of the other topic from this one and would otherwise wait
   * for itself forever once both are full.
   */
  readonly reserve?: { readonly of: string; readonly bytes: number }
  /**
   * For a topic without readers: its oldest records make room for new ones at `maxTopicBytes`; on Kafka by
   * `retention.bytes`.
   */
  readonly dropsOldest?: boolean
}
