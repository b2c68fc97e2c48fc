// The definition of a topic. The definition is kept with the records, and the log's adapters apply it.

export interface TopicSpec {
  /** Name without the configurable prefix. */
  readonly name: string
  readonly partitions: number
  readonly cleanup: 'delete' | 'compact' | 'compact,delete'
  readonly retentionMs: number
  /** Largest record (key + value) in bytes. A larger append fails with `record_too_large`. */
  readonly maxRecordBytes: number
  /**
   * Groups that protect records: retention never deletes a record that one of these groups has not read. Only groups enabled in this mode
   * are listed.
   */
  readonly readers: readonly string[]
  /** Readers that possibly never start. A reader that possibly never starts protects records only after its first commit. */
  readonly lapsing?: readonly string[]
  /**
   * Embedded log: number of bytes of the topic at which appends fail with `log_full`. Before it refuses an append, the log deletes records
   * that every declared reader has read, oldest first, even if they are younger than the retention. If a topic has no readers, its records
   * are deleted in this way only with `dropsOldest`.
   */
  readonly maxTopicBytes?: number
  /**
   * Embedded log: space above `maxTopicBytes` for transactions that commit on the other topic, by the group that
   * holds back most of this one. That group derives records of the other topic from this one and would otherwise wait
   * for itself forever once both are full.
   */
  readonly reserve?: { readonly of: string; readonly bytes: number }
  /**
   * For a topic without readers: the oldest records are deleted for new ones at `maxTopicBytes`, on Kafka at `retention.bytes`.
   */
  readonly dropsOldest?: boolean
}
