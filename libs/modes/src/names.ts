// What topics and consumer groups are called, once. On Kafka both carry the deployment's prefix.

/** Names without the prefix. */
export const topicNames = {
  direct: 'spans.direct',
  staging: 'spans.staging',
  filled: 'spans.filled',
  traceAttributes: 'trace.attributes',
  ledger: 'ledger',
  overflow: 'spans.overflow',
  ingestion: 'ingestion',
  traceParts: 'trace.parts',
  entities: 'entities',
  scores: 'scores',
  runItems: 'run.items',
  sdkUsage: 'sdk.usage',
  commands: 'commands',
  deadLetter: 'dead-letter',
} as const

export type TopicName = (typeof topicNames)[keyof typeof topicNames]

export const groupNames = {
  writer: 'svc.writer',
  propagator: 'svc.propagator',
  /** Merges events of the legacy API, and what spans say about their traces, in the propagator's process. */
  merger: 'svc.merger',
  /** Brings the ledger topic into ingest_ledger, in the writer's process: its own group, so that neither waits for the other. */
  ledger: 'svc.ledger',
  /** Carries out what `commands` asks to delete, in the writer's process. */
  deletions: 'svc.deletions',
} as const

export type GroupName = (typeof groupNames)[keyof typeof groupNames]

/** Its spans and events are our own: sent to be read back, and nobody's usage (ADR 0033). */
export const canaryProject = 'svc-canary'

export const defaultTopicPrefix = 'svc.'
