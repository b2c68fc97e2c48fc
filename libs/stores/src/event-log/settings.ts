import { defaultTopicPrefix, type GroupName, groupNames } from '@svc-server/modes/names'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { setting, type ValuesOf } from '@svc-server/service/configuration'
import { migrationSettings } from '../migration.ts'

/** Topics keep the records that these consumer groups have not read yet. */
export const enabledReaders: readonly GroupName[] = Object.values(groupNames)

/** Returns the consumer groups that never run in an installation whose first write mode is `writeMode`. */
export const lapsingReaders = (writeMode: WriteMode): readonly GroupName[] => (writeMode === 'events_only' ? [groupNames.merger] : [])

const partitions = { min: 1, max: 10_000 }

export const kafkaSettings = {
  writeMode: migrationSettings.writeMode,
  brokers: setting.list({
    env: 'SVC_KAFKA_BROKERS',
    optional: true,
    valid: 'host:port of some brokers, comma-separated',
    says: 'Kafka bootstrap brokers. One reachable broker is enough to discover the others.',
  }),
  saslMechanism: setting.choice(['plain', 'scram-sha-256', 'scram-sha-512'], {
    env: 'SVC_KAFKA_SASL_MECHANISM',
    optional: true,
    says: 'SASL mechanism. If not set, the client does not use SASL.',
  }),
  saslUsername: setting.text({ env: 'SVC_KAFKA_SASL_USERNAME', optional: true, valid: 'a user', says: 'User for the brokers.' }),
  saslPassword: setting.secret({ env: 'SVC_KAFKA_SASL_PASSWORD', optional: true, valid: 'a password', says: 'Password for the brokers.' }),
  tlsEnabled: setting.flag({ env: 'SVC_KAFKA_TLS_ENABLED', default: false, says: 'Connect to the brokers with TLS.' }),
  tlsCaFile: setting.text({
    env: 'SVC_KAFKA_TLS_CA_FILE',
    optional: true,
    valid: 'a path',
    says: 'PEM file of the certificate authorities. Default: the certificate authorities of the operating system.',
  }),
  tlsCertFile: setting.text({
    env: 'SVC_KAFKA_TLS_CERT_FILE',
    optional: true,
    valid: 'a path',
    says: 'PEM file of the client certificate.',
  }),
  tlsKeyFile: setting.text({
    env: 'SVC_KAFKA_TLS_KEY_FILE',
    optional: true,
    valid: 'a path',
    says: 'PEM file of the client certificate’s key.',
  }),
  tlsKeyPassphrase: setting.secret({
    env: 'SVC_KAFKA_TLS_KEY_PASSPHRASE',
    optional: true,
    valid: 'a passphrase',
    says: 'Passphrase of the client certificate’s key.',
  }),
  tlsServerName: setting.text({
    env: 'SVC_KAFKA_TLS_SERVER_NAME',
    optional: true,
    valid: 'a host name',
    says: 'Host name in the brokers’ certificates, if it differs from the brokers’ addresses.',
  }),
  createTopics: setting.flag({
    env: 'SVC_KAFKA_CREATE_TOPICS',
    default: true,
    says: 'Create missing topics at start. If false, the process lists missing topics at start, with the commands that create them.',
  }),
  replicationFactor: setting.integer({
    env: 'SVC_KAFKA_REPLICATION_FACTOR',
    optional: true,
    min: 1,
    max: 32,
    says: 'Number of replicas of each topic that the process creates. Default: 3, or the number of brokers if that is smaller.',
  }),
  sessionTimeoutMs: setting.durationMs({
    env: 'SVC_KAFKA_SESSION_TIMEOUT_MS',
    default: '15s',
    min: 6_000,
    max: 300_000,
    says: 'A consumer that sends no heartbeat for this long loses its partitions. The value must be between the brokers’ group.min.session.timeout.ms and group.max.session.timeout.ms.',
  }),
  topicPrefix: setting.text({
    env: 'SVC_TOPIC_PREFIX',
    default: defaultTopicPrefix,
    valid: 'letters, digits and the characters . _ -',
    pattern: /^[A-Za-z0-9._-]{1,100}$/,
    says: 'Prefix of every topic and consumer group on the brokers. A second deployment on the same brokers needs a different prefix.',
  }),
  partitionsDirect: setting.integer({
    env: 'SVC_TOPIC_PARTITIONS_DIRECT',
    default: 8,
    ...partitions,
    says: 'Number of partitions that the topic spans.direct gets when it is created on Kafka. Choose one partition for every 5,000 spans per second at peak.',
  }),
  partitionsStaging: setting.integer({
    env: 'SVC_TOPIC_PARTITIONS_STAGING',
    default: 8,
    ...partitions,
    says: 'When the topics spans.staging, spans.filled and trace.attributes are created on Kafka, each of them gets this number of partitions. The number of partitions cannot be changed later.',
  }),
}

export type KafkaConfig = ValuesOf<typeof kafkaSettings>

export const logAckTimeoutMs = setting.durationMs({
  env: 'SVC_LOG_ACK_TIMEOUT_MS',
  default: 4000,
  min: 10,
  max: 60_000,
  says: 'Maximum time for the event log to acknowledge records. A request that is not acknowledged in time gets 503 with Retry-After.',
})

export function kafkaProblems({ brokers, ...config }: KafkaConfig): readonly string[] {
  const sasl = [config.saslMechanism, config.saslUsername, config.saslPassword].filter(value => value !== undefined).length
  const files = (['tlsCaFile', 'tlsCertFile', 'tlsKeyFile'] as const)
    .filter(name => config[name] !== undefined)
    .map(name => kafkaSettings[name].env)
  return [
    ...(brokers?.length ? [] : ['SVC_KAFKA_BROKERS is not set: with SVC_LOG=kafka, give host:port of some brokers, comma-separated.']),
    ...(sasl % 3 === 0
      ? []
      : ['Set SVC_KAFKA_SASL_MECHANISM, SVC_KAFKA_SASL_USERNAME and SVC_KAFKA_SASL_PASSWORD together, or none of them.']),
    ...(config.tlsEnabled || files.length === 0
      ? []
      : [
          `${files.join(', ')} without TLS: set SVC_KAFKA_TLS_ENABLED=true, or unset ${files.length === 1 ? 'the variable' : 'the variables'}.`,
        ]),
    ...((config.tlsCertFile === undefined) === (config.tlsKeyFile === undefined)
      ? []
      : ['Set SVC_KAFKA_TLS_CERT_FILE and SVC_KAFKA_TLS_KEY_FILE together, or neither.']),
  ]
}
