// On Kafka, names of topics and groups begin with the deployment's prefix.

/** The names of the topics, without the prefix. */
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
  /** Merges events of the legacy API, and the trace data of spans, into traces and observations. */
  merger: 'svc.merger',
  /**
   * Stores the records of the topic `ledger` in the table `ingest_ledger`. Runs in the writer's process. The group is separate, so that the
   * ledger and the writer's rows do not wait for each other.
   */
  ledger: 'svc.ledger',
  /** Executes the deletions from `commands`. Runs in the writer's process. */
  deletions: 'svc.deletions',
} as const

export type GroupName = (typeof groupNames)[keyof typeof groupNames]

/**
 * The project of the canaries, which are test data that the server sends and reads back. `sdk_usage` does not count canaries (ADR 0033).
 */
export const canaryProject = 'svc-canary'

export const defaultTopicPrefix = 'svc.'
