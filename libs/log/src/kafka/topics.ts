// Creates missing topics, and checks all topics before the first write. For an unusable topic, the error names the command that fixes it. A
// risky setting causes a warning.
import { AppError } from '@svc-server/errors'
import kafkajs, { type Admin, type Cluster } from 'kafkajs'
import type { TopicSpec } from '../port.ts'
import { reasonOf, toAppError } from './failures.ts'
import type { KafkaLogOptions } from './options.ts'
import { maxRecordOverhead } from './record-size.ts'
import { durableInSync, durableReplicas, retentionBytesOf, topicConfigOf } from './topic-config.ts'
import { type ClusterMetadata, describeTopics } from './wire.ts'

export interface KafkaTopic {
  /** The topic as declared, except that the partition count is the count on the brokers. */
  readonly spec: TopicSpec
  /** The topic's name on the brokers, which includes the prefix. */
  readonly name: string
  readonly id: string
  /** The topic's `max.message.bytes`: maximum bytes of a batch. The log reads it again when brokers reject a batch as too large. */
  maxBatchBytes: number
}

export interface TopicCheck {
  readonly clusterId: string
  readonly topics: ReadonlyMap<string, KafkaTopic>
  readonly warnings: readonly string[]
}

type Options = Pick<KafkaLogOptions, 'brokers' | 'topics' | 'replicationFactor' | 'topicConfig'> & {
  readonly prefix: string
  readonly createTopics: boolean
  readonly fixedPartitions: readonly string[]
}

/** Throws `config_invalid` for topics that are missing or unusable, and `log_unavailable` when the brokers do not respond. */
export async function openTopics(admin: Admin, cluster: Cluster, options: Options): Promise<TopicCheck> {
  try {
    const names = options.topics.map(spec => options.prefix + spec.name)
    const before = await describeTopics(cluster, names)
    const metadata = await withMissing(admin, cluster, options, before, names)
    return await check(admin, options, metadata)
  } catch (error) {
    throw toAppError(error, 'Describing the topics')
  }
}

async function withMissing(
  admin: Admin,
  cluster: Cluster,
  options: Options,
  metadata: ClusterMetadata,
  names: readonly string[],
): Promise<ClusterMetadata> {
  const isThere = (found: ClusterMetadata, name: string) => found.topics.some(topic => topic.name === name && topic.id !== null)
  const missing = options.topics.filter(spec => !isThere(metadata, options.prefix + spec.name))
  if (missing.length === 0) return metadata

  const replication = options.replicationFactor ?? Math.min(durableReplicas, metadata.brokers.length)
  const wanted = missing.map(spec => ({
    topic: options.prefix + spec.name,
    numPartitions: spec.partitions,
    replicationFactor: replication,
    config: { ...topicConfigOf(spec, replication), ...options.topicConfig?.(spec) },
  }))
  if (!options.createTopics) {
    const commands = wanted.map(({ topic, numPartitions, config }) => {
      const configs = Object.entries(config).map(([key, value]) => `--config ${key}=${value}`)
      return `kafka-topics.sh --bootstrap-server ${options.brokers.join(',')} --create --topic ${topic} --partitions ${numPartitions} --replication-factor ${replication} ${configs.join(' ')}`
    })
    throw new AppError(
      'config_invalid',
      `Topics are missing and SVC_KAFKA_CREATE_TOPICS is false. Make them with:\n${commands.join('\n')}`,
      { topics: wanted.map(({ topic }) => topic).join(',') },
    )
  }
  const topics = wanted.map(({ config, ...topic }) => ({
    ...topic,
    configEntries: Object.entries(config).map(([name, value]) => ({ name, value })),
  }))
  try {
    // Not every broker knows a new topic immediately. `createTopics` does not wait for leaders. The loop below waits for the leaders.
    await admin.createTopics({ topics, waitForLeaders: false, timeout: 20_000 })
  } catch (error) {
    // If another process has created the topics at the same time, `createTopics` fails, but the topics exist.
    const after = await describeTopics(cluster, names)
    const refused = wanted.find(({ topic }) => !isThere(after, topic))
    if (refused) throw topicRefused(refused.topic, error)
  }
  for (const deadline = performance.now() + 20_000; ; ) {
    const found = await describeTopics(cluster, names)
    const settled = names.every(name =>
      found.topics.some(topic => topic.name === name && topic.id !== null && topic.partitions.every(p => p.leader >= 0)),
    )
    if (settled && found.topics.length > 0) return found
    if (performance.now() > deadline) throw new AppError('log_unavailable', 'The topics were created, but have no leaders yet.')
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

function topicRefused(topic: string, error: unknown): Error {
  const inner = error instanceof kafkajs.KafkaJSAggregateError ? (error.errors as readonly unknown[])[0] : error
  return new AppError('config_invalid', `Topic ${topic} could not be created: ${reasonOf(inner)}.`, { topic }, { cause: error })
}

async function check(admin: Admin, options: Options, metadata: ClusterMetadata): Promise<TopicCheck> {
  const configs = await readConfigs(
    admin,
    options.topics.map(spec => options.prefix + spec.name),
  )
  // For each warning, the topics to which the warning applies. A warning about several topics is printed only once, with all their names.
  const warned = new Map<string, string[]>()
  const topics = new Map<string, KafkaTopic>()
  for (const spec of options.topics) {
    const name = options.prefix + spec.name
    const found = metadata.topics.find(topic => topic.name === name)!
    const config = configs.get(name)!
    const alter = (entry: string) =>
      `kafka-configs.sh --bootstrap-server ${options.brokers.join(',')} --alter --entity-type topics --entity-name ${name} --add-config ${entry}`
    const refuse = (message: string): never => {
      throw new AppError('config_invalid', `Topic ${name} ${message}`, { topic: name })
    }
    const warn = (message: string) => void warned.set(message, [...(warned.get(message) ?? []), name])

    const count = found.partitions.length
    if (count !== spec.partitions) {
      const isCount = `has ${count} partitions, ${spec.partitions} are configured`
      if (options.fixedPartitions.includes(spec.name)) {
        refuse(
          `${isCount}. Its keys must be on the same partitions as the keys of ${options.fixedPartitions.join(', ')}, so the count cannot be ` +
            `changed while the topics exist: either configure ${count}, or stop the gateways, let the propagator and the writer read to the end, delete these topics, and start with the new count.`,
        )
      }
      warn(`${isCount}; ${count < spec.partitions ? 'add some with kafka-topics.sh --alter --partitions' : `${count} are used`}.`)
    }
    if (config.get('message.timestamp.type') !== 'LogAppendTime') {
      refuse(
        `has the timestamps of clients, so their order cannot be trusted. Correct this with: ${alter('message.timestamp.type=LogAppendTime')}`,
      )
    }
    const policies = (text: string) => text.split(',').sort().join(',')
    if (policies(config.get('cleanup.policy') ?? '') !== policies(spec.cleanup)) {
      refuse(`has cleanup.policy=${config.get('cleanup.policy')}. Correct this with: ${alter(`cleanup.policy=[${spec.cleanup}]`)}`)
    }
    const retention = Number(config.get('retention.ms'))
    if (spec.cleanup !== 'compact' && retention >= 0 && retention < spec.retentionMs) {
      warn(`keeps records for ${retention} ms, less than the required ${spec.retentionMs} ms: ${alter(`retention.ms=${spec.retentionMs}`)}`)
    }
    const wantedBytes = retentionBytesOf(spec)['retention.bytes']
    if (wantedBytes !== undefined && Number(config.get('retention.bytes')) < 0)
      warn(`has no size limit, and can fill the brokers' disks: ${alter(`retention.bytes=${wantedBytes}`)}`)
    const maxBatchBytes = Number(config.get('max.message.bytes'))
    if (maxBatchBytes < spec.maxRecordBytes + maxRecordOverhead) {
      warn(
        `accepts at most ${maxBatchBytes} bytes and refuses larger records: ${alter(`max.message.bytes=${spec.maxRecordBytes + maxRecordOverhead}`)}`,
      )
    }
    const replicas = found.partitions.reduce((least, { replicas }) => Math.min(least, replicas), Number.POSITIVE_INFINITY)
    const inSync = Number(config.get('min.insync.replicas'))
    if (replicas < durableReplicas)
      warn(`has ${replicas} replica${replicas === 1 ? '' : 's'}: acknowledged records are lost with the disk of a broker.`)
    if (inSync < durableInSync) warn(`has min.insync.replicas=${inSync}: an acknowledged record can be on only one broker.`)
    if (config.get('unclean.leader.election.enable') === 'true') {
      warn(`allows unclean leader elections, which lose acknowledged records: ${alter('unclean.leader.election.enable=false')}`)
    }
    topics.set(spec.name, { spec: { ...spec, partitions: count }, name, id: found.id!, maxBatchBytes })
  }
  const warnings = [...warned].map(
    ([message, names]) => `${names.length === 1 ? 'Topic' : 'Each of the topics'} ${names.join(', ')} ${message}`,
  )
  return { clusterId: metadata.clusterId, topics, warnings }
}

async function readConfigs(admin: Admin, names: readonly string[]): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  if (names.length === 0) return new Map()
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: names.map(name => ({ type: kafkajs.ConfigResourceTypes.TOPIC, name })),
  })
  return new Map(
    resources.map(resource => [resource.resourceName, new Map(resource.configEntries.map(entry => [entry.configName, entry.configValue]))]),
  )
}

/** Reads a topic's batch limit again, because an operator may have lowered the limit. */
export async function readMaxBatchBytes(admin: Admin, name: string): Promise<number> {
  return Number((await readConfigs(admin, [name])).get(name)!.get('max.message.bytes'))
}
