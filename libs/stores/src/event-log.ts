// The event log on Kafka, from its variables.
import { readFileSync } from 'node:fs'
import { AppError } from '@svc-server/errors'
import { type EventLog, openKafkaLog, type TopicSpec } from '@svc-server/log'

import { groupNames, type WriteMode } from '@svc-server/modes'
import { topicSpecs } from '@svc-server/schema'
import type { Logger } from '@svc-server/service/logs'

import type { KafkaEnvironment } from './variables.ts'

export interface KafkaLogRequest {
  readonly writeMode: WriteMode
  /** Told to the brokers: which process this is. */
  readonly clientId: string
  readonly logger: Logger
  /** Every append is answered within this time. */
  readonly ackTimeoutMs?: number
}

function pem(
  env: KafkaEnvironment,
  name: 'SVC_KAFKA_TLS_CA_FILE' | 'SVC_KAFKA_TLS_CERT_FILE' | 'SVC_KAFKA_TLS_KEY_FILE',
): string | undefined {
  const path = env[name]
  if (path === undefined) return undefined
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new AppError('config_invalid', `${name}=${path}: the file cannot be read.`, { variable: name }, { cause: error })
  }
}

function tlsOf(env: KafkaEnvironment) {
  if (!env.SVC_KAFKA_TLS_ENABLED) return {}
  const [ca, cert, key] = [pem(env, 'SVC_KAFKA_TLS_CA_FILE'), pem(env, 'SVC_KAFKA_TLS_CERT_FILE'), pem(env, 'SVC_KAFKA_TLS_KEY_FILE')]
  const { SVC_KAFKA_TLS_KEY_PASSPHRASE: passphrase, SVC_KAFKA_TLS_SERVER_NAME: servername } = env
  return {
    tls: {
      ...(ca !== undefined && { ca }),
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
      ...(passphrase !== undefined && { passphrase }),
      ...(servername !== undefined && { servername }),
    },
  }
}

function saslOf(env: KafkaEnvironment) {
  const { SVC_KAFKA_SASL_MECHANISM: mechanism, SVC_KAFKA_SASL_USERNAME: username, SVC_KAFKA_SASL_PASSWORD: password } = env
  if (mechanism === undefined || username === undefined || password === undefined) return {}
  return { sasl: { mechanism, username, password } }
}

const topicsOf = (env: KafkaEnvironment, writeMode: WriteMode): readonly TopicSpec[] =>
  topicSpecs({
    embedded: false,
    writeMode,
    enabledReaders: [groupNames.writer, groupNames.ledger, groupNames.propagator],
    partitions: { direct: env.SVC_TOPIC_PARTITIONS_DIRECT, staging: env.SVC_TOPIC_PARTITIONS_STAGING },
  })

/** Connects, and makes or checks the topics. Throws `log_unavailable` (may pass) or `config_invalid`. */
export function openRemoteLog(env: KafkaEnvironment, { writeMode, ackTimeoutMs, ...rest }: KafkaLogRequest): Promise<EventLog> {
  return openKafkaLog({
    ...rest,
    brokers: env.SVC_KAFKA_BROKERS ?? [],
    topics: topicsOf(env, writeMode),
    prefix: env.SVC_TOPIC_PREFIX,
    createTopics: env.SVC_KAFKA_CREATE_TOPICS,
    sessionTimeoutMs: env.SVC_KAFKA_SESSION_TIMEOUT_MS,
    ...(env.SVC_KAFKA_REPLICATION_FACTOR !== undefined && { replicationFactor: env.SVC_KAFKA_REPLICATION_FACTOR }),
    ...(ackTimeoutMs !== undefined && { ackTimeoutMs }),
    ...saslOf(env),
    ...tlsOf(env),
  })
}
