// The topics of the event log, with the retention and limits of architecture §4; names and readers are in libs/modes.
import { readersOf } from '@svc-server/modes/flows'
import { type TopicName, topicNames } from '@svc-server/modes/names'
import type { TopicSpec } from './topic-spec.ts'

export interface TopicOptions {
  /** If true, topics have a size limit, and two partitions by default. */
  readonly embedded: boolean
  /**
   * Groups that run in this deployment. The embedded log keeps the records that a group of this list has not read yet. If the group never
   * starts, these records fill the disk, unless `lapsing` contains the group.
   */
  readonly enabledReaders: readonly string[]
  /**
   * Groups in `enabledReaders` that possibly never start. Until such a group has committed for the first time, the log keeps no records for
   * it.
   */
  readonly lapsing?: readonly string[]
  /** Numbers of partitions by kind of topic. `staging` applies to spans.staging, spans.filled and trace.attributes. */
  readonly partitions?: { readonly direct?: number; readonly staging?: number; readonly other?: number }
  /** Size limits of topics in the embedded log. */
  readonly maxTopicBytes?: Partial<Readonly<Record<TopicName, number>>>
}

const hour = 3_600_000
const day = 24 * hour
const mib = 1 << 20
const gib = 1 << 30

export const maxRecordBytes = 8 * mib
/**
 * Maximum bytes of the rows that are made from one record. A gateway splits larger requests into several records, but a single row can
 * exceed the limit. Because requests are split, the writer's chunks stay near the limit of a chunk, and the writer can store spans of other
 * clients between the parts of a large request.
 */
export const maxRecordRowBytes = 32 * mib
/** Limits the number of spans in a staged record, because the propagator adds up to 150 KB of trace attributes to the row of each span. */
export const maxStagedSpans = 1000
/** Maximum bytes that the propagator adds to a record. A filled record that is too large for spans.filled would stop the propagator. */
const maxFillInBytes = mib / 2

interface TopicRule {
  readonly partitions: 'direct' | 'staging' | 'other'
  readonly cleanup: TopicSpec['cleanup']
  readonly retentionMs: number
  readonly maxTopicBytes: number
  readonly dropsOldest?: true
  readonly reserveOf?: TopicName
}

const rules: Readonly<Record<TopicName, TopicRule>> = {
  'spans.direct': { partitions: 'direct', cleanup: 'delete', retentionMs: 7 * day, maxTopicBytes: 20 * gib },
  // The merger reads spans from spans.staging, and appends their trace data to trace.parts. It merges the records of trace.parts into
  // entities, and appends copies of these entities to spans.staging.
  'spans.staging': { partitions: 'staging', cleanup: 'delete', retentionMs: 7 * day, maxTopicBytes: 20 * gib, reserveOf: 'trace.parts' },
  'spans.filled': { partitions: 'staging', cleanup: 'delete', retentionMs: 7 * day, maxTopicBytes: 20 * gib },
  'trace.attributes': { partitions: 'staging', cleanup: 'compact,delete', retentionMs: 48 * hour, maxTopicBytes: 20 * gib },
  ledger: { partitions: 'other', cleanup: 'delete', retentionMs: 7 * day, maxTopicBytes: gib },
  'spans.overflow': { partitions: 'other', cleanup: 'delete', retentionMs: 7 * day, maxTopicBytes: 20 * gib },
  ingestion: { partitions: 'other', cleanup: 'delete', retentionMs: 7 * day, maxTopicBytes: 8 * gib },
  // Each entity belongs to one merger process. This process reads the entity's parts and events from partitions with the same partition
  // number. `trace.parts` and `ingestion` therefore have as many partitions as `entities`.
  'trace.parts': { partitions: 'other', cleanup: 'delete', retentionMs: 7 * day, maxTopicBytes: 8 * gib },
  entities: { partitions: 'other', cleanup: 'compact,delete', retentionMs: 7 * day, maxTopicBytes: 8 * gib },
  scores: { partitions: 'other', cleanup: 'delete', retentionMs: 7 * day, maxTopicBytes: 4 * gib },
  'run.items': { partitions: 'other', cleanup: 'delete', retentionMs: 7 * day, maxTopicBytes: 8 * gib },
  'sdk.usage': { partitions: 'other', cleanup: 'delete', retentionMs: 7 * day, maxTopicBytes: gib },
  commands: { partitions: 'other', cleanup: 'compact,delete', retentionMs: 31 * day, maxTopicBytes: gib },
  // This topic drops its oldest records when it is full, because a full topic would block every stage that has to write a dead letter.
  'dead-letter': { partitions: 'other', cleanup: 'delete', retentionMs: 30 * day, maxTopicBytes: 4 * gib, dropsOldest: true },
}

/** A compacted topic keeps only the newest record of each key. */
export const isCompacted = (topic: string): boolean => Object.hasOwn(rules, topic) && rules[topic as TopicName].cleanup !== 'delete'

const defaultPartitions = { direct: 8, staging: 8, other: 4 }
const embeddedPartitions = { direct: 2, staging: 2, other: 2 }

/** Returns all topics. Their names do not contain the deployment's prefix. */
export function topicSpecs(options: TopicOptions): TopicSpec[] {
  const { enabledReaders } = options
  const partitions = { ...(options.embedded ? embeddedPartitions : defaultPartitions), ...options.partitions }
  return Object.values(topicNames).map(name => {
    const rule = rules[name]
    const spec = {
      name,
      partitions: partitions[rule.partitions],
      cleanup: rule.cleanup,
      retentionMs: rule.retentionMs,
      maxRecordBytes: name === topicNames.filled ? maxRecordBytes + maxFillInBytes : maxRecordBytes,
      readers: readersOf(name).filter(group => enabledReaders.includes(group)),
      ...(options.lapsing !== undefined && { lapsing: options.lapsing }),
    }
    const maxTopicBytes = options.maxTopicBytes?.[name] ?? rule.maxTopicBytes
    if (rule.dropsOldest) return { ...spec, maxTopicBytes, dropsOldest: true }
    if (!options.embedded) return spec
    // Only `spans.staging` has a reserve. While `spans.staging` is full, the gateway rejects requests. The total size of the spans that
    // still wait for the merger is therefore never more than the topic's maximum size. The reserve is space for the entities that the
    // merger appends to `spans.staging`. The reserve is as large as the topic's maximum size, because the entities of a trace are seldom
    // larger than the trace's spans. Larger entities can exhaust the reserve, which is limited to protect the disk.
    const reserve = rule.reserveOf && { of: rule.reserveOf, bytes: maxTopicBytes }
    return { ...spec, maxTopicBytes, ...(reserve && { reserve }) }
  })
}
