// Defines the names of topics and consumer groups. On Kafka, topics and groups get the deployment's prefix.

/** Topic names without the prefix. */
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
  /** Merges legacy API events and spans' data about their traces, in the propagator's process. */
  merger: 'svc.merger',
  /**
   * Stores the ledger topic in ingest_ledger, in the writer's process. The group is separate, so that the ledger and the writer's rows do
   * not wait for each other.
   */
  ledger: 'svc.ledger',
  /** Carries out deletions from `commands`, in the writer's process. */
  deletions: 'svc.deletions',
} as const

export type GroupName = (typeof groupNames)[keyof typeof groupNames]

/**
 * Project of the server's own canary spans and events. Canary data is sent only to be read back, and is not counted as usage of any project
 * (ADR 0033).
 */
export const canaryProject = 'svc-canary'

export const defaultTopicPrefix = 'svc.'
