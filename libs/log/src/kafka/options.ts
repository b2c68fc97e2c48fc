// Kafka settings from operators and services, and the values derived from them.
import type { Logger } from '../embedded/logger.ts'
import type { TopicSpec } from '../port.ts'

interface SaslOptions {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'
  readonly username: string
  readonly password: string
}

/** PEM texts. An empty `tls` object means TLS with the system's authorities. */
export interface TlsOptions {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly passphrase?: string
  readonly servername?: string
  readonly rejectUnauthorized?: boolean
}

export interface KafkaLogOptions {
  /** host:port of some of the brokers. The client learns the addresses of the other brokers from these brokers. */
  readonly brokers: readonly string[]
  readonly topics: readonly TopicSpec[]
  /** Prefix of every topic, group and transactional id on the brokers. */
  readonly prefix?: string
  /** True to create missing topics. If false, missing topics cause an error that names each of them and the command that creates it. */
  readonly createTopics?: boolean
  /** Replication factor of created topics. Defaults to 3, or to the number of brokers if that is lower. */
  readonly replicationFactor?: number
  /** Returns additional configuration for a topic that is created. */
  readonly topicConfig?: (spec: TopicSpec) => Readonly<Record<string, string>>
  /**
   * Topics whose partition count must never change, because local state is kept by partition. For other topics, a changed partition count
   * only causes a warning.
   */
  readonly fixedPartitions?: readonly string[]
  readonly sasl?: SaslOptions
  readonly tls?: TlsOptions
  readonly clientId?: string
  /** Every append settles within this time: it either becomes durable or fails with `log_unavailable`. */
  readonly ackTimeoutMs?: number
  /** Maximum bytes of appends that wait for the brokers. Appends beyond this limit fail with `overloaded`. */
  readonly maxQueuedBytes?: number
  /** Number of idempotent producers, each with its own connections and one send in flight. */
  readonly producers?: number
  /** For tests only. More than one send in flight can lose acknowledged records (see dispatcher.ts). */
  readonly sendsInFlight?: number
  /** If a consumer sends no heartbeat for this long, it loses its partitions. */
  readonly sessionTimeoutMs?: number
  /** How long a rebalance waits for a busy member. */
  readonly rebalanceTimeoutMs?: number
  /** The broker aborts an unfinished transaction after this time. Readers of the transaction's topics wait until it ends. */
  readonly transactionTimeoutMs?: number
  /** Returns milliseconds since the epoch. Records contain the broker's time. */
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
