// What an operator and a service say about their Kafka, and the numbers that follow from it.
import type { Logger } from '../embedded/logger.ts'
import type { TopicSpec } from '../port.ts'

interface SaslOptions {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'
  readonly username: string
  readonly password: string
}

/** PEM texts. An empty object means TLS with the system's authorities. */
export interface TlsOptions {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly passphrase?: string
  readonly servername?: string
  readonly rejectUnauthorized?: boolean
}

export interface KafkaLogOptions {
  /** host:port of some brokers; the others are learnt from them. */
  readonly brokers: readonly string[]
  readonly topics: readonly TopicSpec[]
  /**
   * Stands before every name of a topic, a group and a transaction on the brokers: two prefixes are two
   * deployments.
   */
  readonly prefix?: string
  /** Makes missing topics; otherwise a missing one is named with the command that makes it. */
  readonly createTopics?: boolean
  /** Of topics that are made here; without it 3, or as many as there are brokers. */
  readonly replicationFactor?: number
  /** Further configuration of topics that are made here. */
  readonly topicConfig?: (spec: TopicSpec) => Readonly<Record<string, string>>
  /**
   * Topics whose partition count may never change, because state lives by partition: others are only warned
   * about.
   */
  readonly fixedPartitions?: readonly string[]
  readonly sasl?: SaslOptions
  readonly tls?: TlsOptions
  readonly clientId?: string
  /** Every append is answered within this time: durable, or `log_unavailable`. */
  readonly ackTimeoutMs?: number
  /** Bytes of appends that may wait for the brokers; above it they are refused with `overloaded`. */
  readonly maxQueuedBytes?: number
  /** Idempotent producers, each with connections of its own and one send under way. */
  readonly producers?: number
  /** For tests alone: more than one loses acknowledged records (see dispatcher.ts). */
  readonly sendsInFlight?: number
  /** A consumer that is silent for so long loses its partitions. */
  readonly sessionTimeoutMs?: number
  /** How long the group waits for a member that is busy. */
  readonly rebalanceTimeoutMs?: number
  /**
   * An unfinished transaction is aborted by the broker after this time; until then it holds back readers of
   * its topics.
   */
  readonly transactionTimeoutMs?: number
  /** Milliseconds since the epoch; only for lag and sticky partitions, records carry the broker's time. */
  readonly clock?: () => number
  readonly logger?: Logger
}

export const defaults = {
  prefix: '',
  clientId: 'svc',
  ackTimeoutMs: 4000,
  maxQueuedBytes: 64 * 1024 * 1024,
  producers: 4,
  sendsInFlight: 1,
  sessionTimeoutMs: 15_000,
  rebalanceTimeoutMs: 60_000,
  transactionTimeoutMs: 15_000,
  fixedPartitions: ['spans.staging', 'spans.filled', 'trace.attributes'],
} as const
