// The topics of the event log, once: names, retention, readers and limits of architecture §4.

export const topicNames = {
  direct: 'spans.direct',
  staging: 'spans.staging',
  filled: 'spans.filled',
  traceAttributes: 'trace.attributes',
  ledger: 'ledger',
  overflow: 'spans.overflow',
  ingestion: 'ingestion',
  scores: 'scores',
  commands: 'commands',
  deadLetter: 'dead-letter',
} as const

export type TopicName = (typeof topicNames)[keyof typeof topicNames]

export const groupNames = {
  writer: 'svc.writer',
  propagator: 'svc.propagator',
  /** Brings the ledger topic into ingest_ledger, in the writer's process: its own group, so that neither waits for the other. */
  ledger: 'svc.ledger',
} as const

export const defaultTopicPrefix = 'svc.'

/** Same shape as the event log's own type; this package imports nothing of ours. */
export interface TopicSpec {
  readonly name: string
  readonly partitions: number
  readonly cleanup: 'delete' | 'compact' | 'compact,delete'
  readonly retentionMs: number
  readonly maxRecordBytes: number
  readonly readers: readonly string[]
  readonly maxTopicBytes?: number
  /** Its oldest records make room for new ones at that size. */
  readonly dropsOldest?: boolean
}

export interface TopicOptions {
  /** The embedded log: two partitions a topic, and a size limit on each. */
  readonly embedded: boolean
  readonly writeMode: 'legacy' | 'dual' | 'events_only'
  /** Groups that run in this deployment. Only they hold retention: a reader that never comes would fill the disk. */
  readonly enabledReaders: readonly string[]
  /** Overrides of the partition count, by topic. spans.staging, spans.filled and trace.attributes take one common value, `staging`. */
  readonly partitions?: { readonly direct?: number; readonly staging?: number; readonly other?: number }
  /** Embedded log: bytes at which a topic refuses appends, by topic. */
  readonly maxTopicBytes?: Partial<Readonly<Record<TopicName, number>>>
}

const hour = 3_600_000
const day = 24 * hour
const mib = 1 << 20
const gib = 1 << 30

export const maxRecordBytes = 8 * mib
/**
 * Bytes of the rows of one record. A gateway cuts what is above it, unless it is a single row: so a chunk of the writer is never much larger than it
 * may be, and the spans of others are stored between two parts of a large request.
 */
export const maxRecordRowBytes = 32 * mib
/** Spans of a staged record: each of its rows gets the fill-in, which may be 150 KB. */
export const maxStagedSpans = 1000
/** What a fill-in, at its largest, adds to a staged record: one that just fits spans.staging must fit spans.filled too, or it stops the propagator. */
export const fillRoomBytes = mib / 2

type WriteMode = TopicOptions['writeMode']

interface TopicRule {
  readonly partitions: 'direct' | 'staging' | 'other'
  readonly cleanup: TopicSpec['cleanup']
  readonly retentionMs: number
  /** Who reads it, in which modes. A reader that is named but does not read would keep the topic for ever. */
  readonly readers: readonly { readonly group: string; readonly in: readonly WriteMode[] }[]
  readonly maxTopicBytes: number
  readonly dropsOldest?: true
}

const always: readonly WriteMode[] = ['legacy', 'dual', 'events_only']
const writer = (modes: readonly WriteMode[]) => ({ group: groupNames.writer, in: modes })
// Who brings staged spans on does so in every mode: what an earlier mode left must not wait for a reader that never comes.
const propagator = { group: groupNames.propagator, in: always }
const ledger = { group: groupNames.ledger, in: always }

const rules: Readonly<Record<TopicName, TopicRule>> = {
  'spans.direct': { partitions: 'direct', cleanup: 'delete', retentionMs: 7 * day, readers: [writer(always)], maxTopicBytes: 20 * gib },
  'spans.staging': {
    partitions: 'staging',
    cleanup: 'delete',
    retentionMs: 7 * day,
    // The writer reads staged spans for the old tables only; they reach the events tables from spans.filled.
    readers: [writer(['dual']), propagator],
    maxTopicBytes: 20 * gib,
  },
  'spans.filled': { partitions: 'staging', cleanup: 'delete', retentionMs: 7 * day, readers: [writer(always)], maxTopicBytes: 20 * gib },
  'trace.attributes': { partitions: 'staging', cleanup: 'compact,delete', retentionMs: 48 * hour, readers: [], maxTopicBytes: 20 * gib },
  ledger: { partitions: 'other', cleanup: 'delete', retentionMs: 7 * day, readers: [ledger], maxTopicBytes: gib },
  'spans.overflow': { partitions: 'other', cleanup: 'delete', retentionMs: 7 * day, readers: [writer(always)], maxTopicBytes: 20 * gib },
  // On events_only the endpoint refuses these events.
  ingestion: {
    partitions: 'other',
    cleanup: 'delete',
    retentionMs: 7 * day,
    readers: [writer(['legacy', 'dual'])],
    maxTopicBytes: 8 * gib,
  },
  scores: { partitions: 'other', cleanup: 'delete', retentionMs: 7 * day, readers: [writer(always)], maxTopicBytes: 4 * gib },
  // Every writer and propagator reads all commands from the start, without a group.
  commands: { partitions: 'other', cleanup: 'compact,delete', retentionMs: 31 * day, readers: [], maxTopicBytes: gib },
  // A full one would hold up whoever has something bad to put aside.
  'dead-letter': { partitions: 'other', cleanup: 'delete', retentionMs: 30 * day, readers: [], maxTopicBytes: 4 * gib, dropsOldest: true },
}

const defaultPartitions = { direct: 8, staging: 8, other: 4 }
const embeddedPartitions = { direct: 2, staging: 2, other: 2 }

/** All topics of a deployment, names without the prefix. */
export function topicSpecs(options: TopicOptions): TopicSpec[] {
  const { writeMode, enabledReaders } = options
  const partitions = { ...(options.embedded ? embeddedPartitions : defaultPartitions), ...options.partitions }
  return Object.values(topicNames).map(name => {
    const rule = rules[name]
    const spec = {
      name,
      partitions: partitions[rule.partitions],
      cleanup: rule.cleanup,
      retentionMs: rule.retentionMs,
      maxRecordBytes: name === topicNames.filled ? maxRecordBytes + fillRoomBytes : maxRecordBytes,
      readers: rule.readers.filter(r => r.in.includes(writeMode) && enabledReaders.includes(r.group)).map(r => r.group),
    }
    const maxTopicBytes = options.maxTopicBytes?.[name] ?? rule.maxTopicBytes
    if (rule.dropsOldest) return { ...spec, maxTopicBytes, dropsOldest: true }
    return options.embedded ? { ...spec, maxTopicBytes } : spec
  })
}
