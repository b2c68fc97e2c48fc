export interface TopicSpec {
  /** Name of the topic, without the configurable prefix. */
  readonly name: string
  readonly partitions: number
  readonly cleanup: 'delete' | 'compact' | 'compact,delete'
  readonly retentionMs: number
  /** Maximum bytes of key and value together. The append of a larger record fails with `record_too_large`. */
  readonly maxRecordBytes: number
  /** Groups that read the topic and are enabled. The embedded log never deletes records that one of these groups has not read. */
  readonly readers: readonly string[]
  /** Readers that may never start. Until such a reader has committed for the first time, records that it has not read can be deleted. */
  readonly lapsing?: readonly string[]
  /**
   * Embedded log: size limit of the topic. At the limit, the log deletes the oldest records before their retention time, but only records
   * that every declared reader has read. If the topic is still too full, appends fail with `log_full`. A topic without readers deletes
   * records at its limit only if `dropsOldest` is set.
   */
  readonly maxTopicBytes?: number
  /**
   * Embedded log: additional bytes above `maxTopicBytes`, for a group that reads this topic and also appends to it. `of` is another topic
   * that the group reads. An append can use the reserve only if the appending group is the slowest reader of this topic, and only in a
   * transaction that commits the group's offset on `of`. Without the reserve, the group could wait forever for space that only its own
   * progress frees.
   */
  readonly reserve?: { readonly of: string; readonly bytes: number }
  /**
   * Only for a topic without readers. If true, the log deletes the oldest records of the topic at the limit `maxTopicBytes` (on Kafka,
   * `retention.bytes`).
   */
  readonly dropsOldest?: boolean
}
