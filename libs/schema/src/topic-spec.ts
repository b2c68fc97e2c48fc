// What a topic is: written down with the records, held by whoever keeps the log.

export interface TopicSpec {
  /** Name without the configurable prefix. */
  readonly name: string
  readonly partitions: number
  readonly cleanup: 'delete' | 'compact' | 'compact,delete'
  readonly retentionMs: number
  /** Largest record (key + value) in bytes; above it an append fails with `record_too_large`. */
  readonly maxRecordBytes: number
  /**
   * Groups whose unread records are never deleted by retention. Only those enabled in this mode are listed.
   */
  readonly readers: readonly string[]
  /** Those of the readers that may never come: they count, and hold records, once they have committed anything. */
  readonly lapsing?: readonly string[]
  /**
   * Embedded log: bytes of the topic at which appends are refused with `log_full`. Before that, records that
   * every declared reader has read are deleted, oldest first, though they are younger than the retention. A
   * topic without readers is shortened so only when it is `dropsOldest`.
   */
  readonly maxTopicBytes?: number
  /**
   * Embedded log: room above `maxTopicBytes` for transactions that commit on the other topic, of the group that holds most of this one. Where what
   * that group derives from this topic goes to the other, it would wait for itself for ever once both are full.
   */
  readonly reserve?: { readonly of: string; readonly bytes: number }
  /**
   * Of a topic without readers: its oldest records make room for new ones at `maxTopicBytes`; on Kafka by
   * `retention.bytes`.
   */
  readonly dropsOldest?: boolean
}
