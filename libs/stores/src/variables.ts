// Where the stores are. One set of names for every process, so that what works for one works for all of them.
import { idPattern } from '@svc-server/relational'
import { defaultTopicPrefix } from '@svc-server/schema'
import { choice, durationMs, flag, integer, list, secret, text, url } from '@svc-server/service/configuration'
import type { z } from 'zod'

const file = () => text('a path')
const partitions = () => integer({ min: 1, max: 10_000 })

/** The event log on Kafka. */
export const kafkaVariables = {
  SVC_KAFKA_BROKERS: list('host:port of some brokers, comma-separated')
    .optional()
    .describe('Kafka brokers; the others are learnt from them.'),
  SVC_KAFKA_SASL_MECHANISM: choice(['plain', 'scram-sha-256', 'scram-sha-512']).optional().describe('Not set: no SASL.'),
  SVC_KAFKA_SASL_USERNAME: text('a user').optional().describe('User of the brokers.'),
  SVC_KAFKA_SASL_PASSWORD: secret('a password').optional().describe('Its password.'),
  SVC_KAFKA_TLS_ENABLED: flag().prefault('false').describe('TLS to the brokers.'),
  SVC_KAFKA_TLS_CA_FILE: file().optional().describe('PEM file of the authorities. Not set: those of the system.'),
  SVC_KAFKA_TLS_CERT_FILE: file().optional().describe('PEM file of the client certificate.'),
  SVC_KAFKA_TLS_KEY_FILE: file().optional().describe('PEM file of its key.'),
  SVC_KAFKA_TLS_KEY_PASSPHRASE: secret('a passphrase').optional().describe('Passphrase of that key.'),
  SVC_KAFKA_TLS_SERVER_NAME: text('a host name').optional().describe('Name in the brokers’ certificates, when it is not their address.'),
  SVC_KAFKA_CREATE_TOPICS: flag()
    .prefault('true')
    .describe('Missing topics are made at the start. false: the start names each with the command that makes it.'),
  SVC_KAFKA_REPLICATION_FACTOR: integer({ min: 1, max: 32 })
    .optional()
    .describe('Replicas of topics that are made. Not set: 3, or as many as there are brokers.'),
  SVC_KAFKA_SESSION_TIMEOUT_MS: durationMs({ min: 6_000, max: 300_000 })
    .prefault('15s')
    .describe(
      'A consumer that is silent for so long loses its partitions to the others. The brokers’ group.min and max.session.timeout.ms bound it.',
    ),
  SVC_TOPIC_PREFIX: text('letters, digits, . _ and -', /^[A-Za-z0-9._-]{1,100}$/)
    .prefault(defaultTopicPrefix)
    .describe('Stands before every name of a topic and a group on the brokers; a second deployment on them takes another one.'),
  SVC_TOPIC_PARTITIONS_DIRECT: partitions().prefault('8').describe('Partitions of spans.direct when it is made: peak spans/s ÷ 5,000.'),
  SVC_TOPIC_PARTITIONS_STAGING: partitions()
    .prefault('8')
    .describe('Partitions of spans.staging, spans.filled and trace.attributes when they are made; they never change afterwards.'),
}

export const columnStoreVariables = {
  COLUMNSTORE_URL: url().describe('A ClickHouse server, 25.12 or newer (26.4 recommended), over HTTP.'),
  COLUMNSTORE_USER: text('a user').prefault('svc').describe('User of the column store.'),
  COLUMNSTORE_PASSWORD: secret('a password').optional().describe('Its password.'),
  COLUMNSTORE_DB: text('letters, digits and _', /^[A-Za-z_][A-Za-z0-9_]{0,63}$/)
    .prefault('svc')
    .describe('Its database.'),
  COLUMNSTORE_REQUEST_TIMEOUT_MS: durationMs({ min: 1_000, max: 3_600_000 })
    .prefault('30s')
    .describe('Longest wait for an answer. An insert without one is looked for before it is tried again.'),
  COLUMNSTORE_CLUSTER_ENABLED: flag().prefault('false').describe('Replicated tables, made ON CLUSTER.'),
  COLUMNSTORE_CLUSTER_NAME: text('a cluster name or a macro', /^[A-Za-z0-9_{}.-]+$/)
    .prefault('default')
    .describe('Cluster of the tables, with COLUMNSTORE_CLUSTER_ENABLED=true.'),
}

export const relationalVariables = {
  DATABASE_URL: url(['postgres', 'postgresql']).describe('A PostgreSQL server, 15 or newer, and its database.'),
}

export const saltVariables = {
  SALT: secret('at least 16 characters', /^.{16,}$/).describe(
    'Mixed into the hashes of keys; the same in every process. Changing it locks every key out.',
  ),
}

const id = () => text('letters, digits, - and _', idPattern)

/** The project of the first start. */
export const firstProjectVariables = {
  SVC_INIT_ORG_ID: id().prefault('default-org').describe('Organisation of the first project.'),
  SVC_INIT_PROJECT_ID: id().prefault('default-project').describe('First project, made when it is missing.'),
  SVC_INIT_PROJECT_PUBLIC_KEY: text('a public key').optional().describe('Its public key. Not set: no project is made.'),
  SVC_INIT_PROJECT_SECRET_KEY: secret('a secret key').optional().describe('Its secret key.'),
}

type Output<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>
export type KafkaEnvironment = Output<typeof kafkaVariables>
export type ColumnStoreEnvironment = Output<typeof columnStoreVariables>
export type RelationalEnvironment = Output<typeof relationalVariables>
export type FirstProjectEnvironment = Output<typeof firstProjectVariables>

/** What is wrong with Kafka's variables together, each being valid. */
export function kafkaProblems(env: KafkaEnvironment): readonly string[] {
  const { SVC_KAFKA_SASL_MECHANISM: mechanism, SVC_KAFKA_SASL_USERNAME: user, SVC_KAFKA_SASL_PASSWORD: password } = env
  const sasl = [mechanism, user, password].filter(value => value !== undefined).length
  const files = (['SVC_KAFKA_TLS_CA_FILE', 'SVC_KAFKA_TLS_CERT_FILE', 'SVC_KAFKA_TLS_KEY_FILE'] as const).filter(
    name => env[name] !== undefined,
  )
  return [
    ...(env.SVC_KAFKA_BROKERS?.length
      ? []
      : ['SVC_KAFKA_BROKERS is not set: with SVC_LOG=kafka, give host:port of some brokers, comma-separated.']),
    ...(sasl % 3 === 0
      ? []
      : ['Set SVC_KAFKA_SASL_MECHANISM, SVC_KAFKA_SASL_USERNAME and SVC_KAFKA_SASL_PASSWORD together, or none of them.']),
    ...(env.SVC_KAFKA_TLS_ENABLED || files.length === 0
      ? []
      : [`${files.join(', ')} without TLS: set SVC_KAFKA_TLS_ENABLED=true, or unset it.`]),
    ...((env.SVC_KAFKA_TLS_CERT_FILE === undefined) === (env.SVC_KAFKA_TLS_KEY_FILE === undefined)
      ? []
      : ['Set SVC_KAFKA_TLS_CERT_FILE and SVC_KAFKA_TLS_KEY_FILE together, or neither.']),
  ]
}

/** What is wrong with the first project's variables together. */
export const firstProjectProblems = (
  env: Pick<FirstProjectEnvironment, 'SVC_INIT_PROJECT_PUBLIC_KEY' | 'SVC_INIT_PROJECT_SECRET_KEY'>,
): readonly string[] =>
  (env.SVC_INIT_PROJECT_PUBLIC_KEY === undefined) === (env.SVC_INIT_PROJECT_SECRET_KEY === undefined)
    ? []
    : ['Set SVC_INIT_PROJECT_PUBLIC_KEY and SVC_INIT_PROJECT_SECRET_KEY together, or neither.']
