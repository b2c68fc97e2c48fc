// The definition of a topic.

export interface TopicSpec {
  /** Name without the configurable prefix. */
  readonly name: string
  readonly partitions: number
  readonly cleanup: 'delete' | 'compact' | 'compact,delete'
  readonly retentionMs: number
  /** Largest record (key + value) in bytes. A larger append fails with `record_too_large`. */
  readonly maxRecordBytes: number
  /**
   * Groups whose unread records are protected: retention never deletes a record that one of these groups has not read. Lists only groups
   * that are enabled in this mode.
   */
  readonly readers: readonly string[]
  /** Readers that are possibly never started. Retention protects the records of an optional reader only after its first commit. */
  readonly lapsing?: readonly string[]
  /**
   * Embedded log: size limit of the topic in bytes. At the limit, the log deletes records that every declared reader has read, oldest
   * first, even if they are younger than the retention time. Appends fail with `log_full` if deleting records does not free enough space. A
   * topic without readers deletes records at its limit only if `dropsOldest` is set.
   */
  readonly maxTopicBytes?: number
  /**
   * Embedded log: additional bytes above `maxTopicBytes`. Only the slowest reader can use the additional bytes, in transactions that commit
   * offsets on the topic `of`. The slowest reader could otherwise wait forever for its own progress, because it reads both topics and also
   * writes to them.
   */
  readonly reserve?: { readonly of: string; readonly bytes: number }
  /**
   * For a topic without readers: if true, the topic drops its oldest records when it reaches `maxTopicBytes` (on Kafka, `retention.bytes`).
   */
  readonly dropsOldest?: boolean
}
