import type { Logger } from '../embedded/logger.ts'
import type { TopicSpec } from '../port.ts'

interface SaslOptions {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'
  readonly username: string
  readonly password: string
}

/** Certificates and key are PEM texts. An empty object means TLS with the system's certificate authorities. */
export interface TlsOptions {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly passphrase?: string
  readonly servername?: string
  readonly rejectUnauthorized?: boolean
}

export interface KafkaLogOptions {
  /** host:port of some brokers; the client learns the other addresses from these brokers. */
  readonly brokers: readonly string[]
  readonly topics: readonly TopicSpec[]
  /** Prefix of every topic, group and transactional id on the brokers. */
  readonly prefix?: string
  /** If false, an error names each missing topic and the command that creates it. */
  readonly createTopics?: boolean
  /** Replication factor of created topics. The default is 3, or the number of brokers if there are fewer than 3. */
  readonly replicationFactor?: number
  /**
   * Returns additional configuration for a missing topic. The log creates the topic with this configuration. If `createTopics` is false,
   * the command in the error message contains this configuration.
   */
  readonly topicConfig?: (spec: TopicSpec) => Readonly<Record<string, string>>
  /**
   * Topics with local state per partition. A changed partition count is an error for these topics, and causes a warning for other topics.
   */
  readonly fixedPartitions?: readonly string[]
  readonly sasl?: SaslOptions
  readonly tls?: TlsOptions
  readonly clientId?: string
  /** Within this time, every append becomes durable or fails with `log_unavailable`. */
  readonly ackTimeoutMs?: number
  /** Maximum bytes of appends that wait for the brokers. Beyond this limit, appends fail with `overloaded`. */
  readonly maxQueuedBytes?: number
  /** Number of idempotent producers. Each producer has its own connections, and sends one request at a time. */
  readonly producers?: number
  /** For tests only. More than one send in flight can lose acknowledged records (see dispatcher.ts). */
  readonly sendsInFlight?: number
  /** A consumer without a heartbeat for this long loses its partitions. */
  readonly sessionTimeoutMs?: number
  /** How long a rebalance waits for a busy member. */
  readonly rebalanceTimeoutMs?: number
  /** After this time, the broker aborts an unfinished transaction. Readers of the transaction's topics wait until the transaction ends. */
  readonly transactionTimeoutMs?: number
  /** Returns milliseconds since the epoch. The append times of records come from the broker, not from this clock. */
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
