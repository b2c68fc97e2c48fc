import { readFileSync } from 'node:fs'
import { AppError } from '@svc-server/errors'
import type { EventLog, TopicSpec } from '@svc-server/log'
import { openKafkaLog } from '@svc-server/log/kafka'
import { topicSpecs } from '@svc-server/schema/topics'
import type { Logger } from '@svc-server/service/logs'
import { enabledReaders, type KafkaConfig, kafkaSettings, lapsingReaders } from './settings.ts'

export interface KafkaLogRequest {
  readonly clientId: string
  readonly logger: Logger
  /** Every append succeeds or fails within this time. */
  readonly ackTimeoutMs?: number
}

function pem(config: KafkaConfig, name: 'tlsCaFile' | 'tlsCertFile' | 'tlsKeyFile'): string | undefined {
  const path = config[name]
  if (path === undefined) return undefined
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { env: variable } = kafkaSettings[name]
    throw new AppError('config_invalid', `${variable}=${path}: the file cannot be read.`, { variable }, { cause: error })
  }
}

function tlsOf(config: KafkaConfig) {
  if (!config.tlsEnabled) return {}
  const [ca, cert, key] = [pem(config, 'tlsCaFile'), pem(config, 'tlsCertFile'), pem(config, 'tlsKeyFile')]
  const { tlsKeyPassphrase: passphrase, tlsServerName: servername } = config
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

function saslOf({ saslMechanism: mechanism, saslUsername: username, saslPassword: password }: KafkaConfig) {
  if (mechanism === undefined || username === undefined || password === undefined) return {}
  return { sasl: { mechanism, username, password } }
}

const topicsOf = (config: KafkaConfig): readonly TopicSpec[] =>
  topicSpecs({
    embedded: false,
    enabledReaders,
    lapsing: lapsingReaders(config.writeMode),
    partitions: { direct: config.partitionsDirect, staging: config.partitionsStaging },
  })

/** Creates or checks the topics. Throws `log_unavailable` (transient) or `config_invalid`. */
export function openKafka(config: KafkaConfig, { ackTimeoutMs, ...rest }: KafkaLogRequest): Promise<EventLog> {
  return openKafkaLog({
    ...rest,
    brokers: config.brokers ?? [],
    topics: topicsOf(config),
    prefix: config.topicPrefix,
    createTopics: config.createTopics,
    sessionTimeoutMs: config.sessionTimeoutMs,
    ...(config.replicationFactor !== undefined && { replicationFactor: config.replicationFactor }),
    ...(ackTimeoutMs !== undefined && { ackTimeoutMs }),
    ...saslOf(config),
    ...tlsOf(config),
  })
}
