// The event log on Kafka, behind the EventLog port (architecture §4). This file only connects the modules of this adapter.
import { AppError, isAppError } from '@svc-server/errors'
import { declaredTopic } from '../declared.ts'
import { silentLogger } from '../embedded/logger.ts'
import type { ConsumeOptions, Consumer, EventLog, GroupLag, TopicDescription } from '../port.ts'
import { createAppender } from './appender.ts'
import { type Connection, createClient, openCluster, patient } from './client.ts'
import { startConsumer } from './consumer.ts'
import { adviceOn, toAppError } from './failures.ts'
import { groupOnBrokers } from './group-name.ts'
import { createLagClock } from './lag-clock.ts'
import { defaults, type KafkaLogOptions } from './options.ts'
import { startOwner } from './owner.ts'
import { createReader } from './reader.ts'
import { type KafkaTopic, openTopics, readMaxBatchBytes } from './topics.ts'
import { createTransactions } from './transactions.ts'
import { createCutter } from './units.ts'
import { describeTopics, sizesOnDisk } from './wire.ts'

export interface KafkaLog extends EventLog {
  readonly kind: 'kafka'
  /** Warnings about risky settings of the topics. They are also printed at startup. */
  readonly warnings: readonly string[]
  /** False while no broker responds. Appends then fail immediately. */
  reachable(): boolean
}

function openingFailed(error: unknown, brokers: readonly string[]): Error {
  const failure = toAppError(error, `Opening the event log at ${brokers.join(', ')}`)
  const advice = adviceOn(error)
  if (!isAppError(failure) || advice === undefined) return failure
  return new AppError(failure.code, `${failure.message} ${advice}`, failure.params, { cause: error })
}

/**
 * Opens the log. Creates missing topics, unless `createTopics` is false, and checks all topics. Throws `config_invalid` if a missing topic
 * is not created, or if a topic is unusable. Throws `log_unavailable` if no broker responds.
 */
export async function openKafkaLog(options: KafkaLogOptions): Promise<KafkaLog> {
  const { clock = Date.now, logger = silentLogger, prefix = defaults.prefix } = options
  const connection: Connection = {
    brokers: options.brokers,
    clientId: options.clientId ?? defaults.clientId,
    ...(options.sasl ? { sasl: options.sasl } : {}),
    ...(options.tls ? { tls: options.tls } : {}),
  }
  const client = createClient(connection, patient)
  const admin = client.kafka.admin()
  const closers: (() => Promise<unknown>)[] = [() => admin.disconnect()]
  const closeAll = async (): Promise<void> => {
    for (const close of closers.splice(0).toReversed()) await close().catch(() => {})
  }
  const opened = async <T>(what: Promise<T>): Promise<T> =>
    what.catch(async (error: unknown) => {
      await closeAll()
      throw openingFailed(error, options.brokers)
    })
  await opened(admin.connect())
  const { cluster, close: closeCluster } = await opened(openCluster(client))
  closers.push(closeCluster)
  const { clusterId, topics, warnings } = await opened(
    openTopics(admin, cluster, {
      ...options,
      prefix,
      createTopics: options.createTopics ?? true,
      fixedPartitions: options.fixedPartitions ?? defaults.fixedPartitions,
    }),
  )
  for (const warning of warnings) logger.warn({}, warning)

  const all = [...topics.values()]
  const reader = createReader(admin, cluster)
  const cutter = createCutter(clock)
  const appender = createAppender({
    connection,
    cutter,
    clock,
    logger,
    ackTimeoutMs: options.ackTimeoutMs ?? defaults.ackTimeoutMs,
    maxQueuedBytes: options.maxQueuedBytes ?? defaults.maxQueuedBytes,
    producers: options.producers ?? defaults.producers,
    sendsInFlight: options.sendsInFlight ?? defaults.sendsInFlight,
    onTooLarge: topic => void relearnLimit(topic),
  })
  closers.push(() => appender.close())
  const askedAt = performance.now()
  const { brokers } = await opened(describeTopics(cluster, []))
  // Before its first append, the appender must know the cluster's response time. Otherwise, a distant cluster would count as unreachable.
  appender.reachability.observe(performance.now() - askedAt)
  appender.reachability.know(brokers.map(({ host, port }) => `${host}:${port}`))
  await opened(appender.warm())

  const consumers = new Set<Consumer>()
  const groups = new Map<string, ReadonlySet<string>>()
  const lagClock = createLagClock(reader, clock)
  const plain = new Set<KafkaTopic>()
  const transactional = new Set<KafkaTopic>()
  let closed: Promise<void> | undefined

  const topicOf = (name: string): KafkaTopic => declaredTopic(topics, name)
  const partitionOf = (name: string, partition: number): KafkaTopic => {
    const topic = topicOf(name)
    if (!(partition >= 0 && partition < topic.spec.partitions)) throw new RangeError(`Topic ${name} has no partition ${partition}.`)
    return topic
  }
  const onBrokers = (group: string): string => groupOnBrokers(prefix, group)
  const refuseWhenClosing = (): void => {
    if (closed) throw new AppError('log_unavailable', 'The event log is closing.')
  }
  /** Reads a topic's batch limit again, after an operator has lowered it. From then on, this client rejects larger appends itself. */
  const relearnLimit = async (topic: KafkaTopic): Promise<void> => {
    topic.maxBatchBytes = await readMaxBatchBytes(admin, topic.name).catch(() => topic.maxBatchBytes)
  }
  const diskSizes = async (): Promise<ReadonlyMap<string, number>> => {
    const leaders = await describeTopics(
      cluster,
      [...topics.values()].map(({ name }) => name),
    )
    const sizes = new Map<string, number>()
    for (const nodeId of cluster.getNodeIds()) {
      const found = await sizesOnDisk(await cluster.findBroker({ nodeId: String(nodeId) }))
      for (const { topic, partition, bytes } of found) {
        const leader = leaders.topics.find(one => one.name === topic)?.partitions.find(one => one.partition === partition)?.leader
        if (leader === Number(nodeId)) sizes.set(`${topic}/${partition}`, bytes)
      }
    }
    return sizes
  }
  /**
   * Warns when a topic receives both transactions and other appends. An open transaction hides every later record of its partitions from
   * readers, even records that are acknowledged.
   */
  const noteUse = (topic: KafkaTopic, kind: Set<KafkaTopic>): void => {
    if (kind.has(topic)) return
    kind.add(topic)
    if (plain.has(topic) && transactional.has(topic)) {
      logger.warn(
        { topic: topic.spec.name },
        'a topic gets both appends without a transaction and transactions: an open transaction delays readers of both',
      )
    }
  }

  const memberOf = ({ group, topics: names }: Pick<ConsumeOptions, 'group' | 'topics'>) => {
    refuseWhenClosing()
    const groupId = onBrokers(group)
    groups.set(group, new Set([...(groups.get(group) ?? []), ...names]))
    return {
      connection,
      groupId,
      topics,
      reader,
      transactions: createTransactions({
        connection,
        cluster,
        reader,
        cutter,
        group,
        groupId,
        transactionTimeoutMs: options.transactionTimeoutMs ?? defaults.transactionTimeoutMs,
        logger,
      }),
      sessionTimeoutMs: options.sessionTimeoutMs ?? defaults.sessionTimeoutMs,
      rebalanceTimeoutMs: options.rebalanceTimeoutMs ?? defaults.rebalanceTimeoutMs,
      logger,
      onTransactional: (topic: KafkaTopic) => noteUse(topic, transactional),
    }
  }

  return {
    kind: 'kafka',
    warnings,
    reachable: () => !appender.reachability.lost,
    logId: name => `${clusterId}.${topicOf(name).id}`,

    async append(name, records) {
      refuseWhenClosing()
      const topic = topicOf(name)
      noteUse(topic, plain)
      return appender.append(topic, records)
    },

    async consume(consume) {
      const consumer = await startConsumer({ ...memberOf(consume), onDelivered: batch => lagClock.seen(batch) }, consume, () =>
        consumers.delete(consumer),
      )
      consumers.add(consumer)
      return consumer
    },

    async own(own) {
      const consumer = await startOwner(memberOf(own), own, () => consumers.delete(consumer))
      consumers.add(consumer)
      return consumer
    },

    read: async (name, partition, from, maxBytes) => reader.read(partitionOf(name, partition), partition, from, maxBytes),

    async committed(group, name) {
      const topic = topicOf(name)
      return (await reader.committed(onBrokers(group), [topic])).get(topic)!
    },

    async deleteBefore(name, partition, offset) {
      const topic = partitionOf(name, partition)
      if (topic.spec.readers.length > 0)
        throw new RangeError(`Topic ${name} has readers, so its records must not be deleted before the readers have read them.`)
      const partitions = [{ partition, offset: String(offset) }]
      await admin.deleteTopicRecords({ topic: topic.name, partitions }).catch((error: unknown) => {
        throw toAppError(error, `Deleting records of ${topic.name}`)
      })
    },

    async describe() {
      const [watermarks, sizes] = [await reader.watermarks(all), await diskSizes()]
      return all.map(
        (topic): TopicDescription => ({
          spec: topic.spec,
          partitions: watermarks.get(topic)!.map(({ low, high }, partition) => ({
            partition,
            lowWatermark: low,
            highWatermark: high,
            records: high - low,
            bytes: sizes.get(`${topic.name}/${partition}`) ?? 0,
          })),
        }),
      )
    },

    async lag() {
      const readersOf = ({ spec }: KafkaTopic): string[] => [
        ...new Set([...spec.readers, ...[...groups].filter(([, names]) => names.has(spec.name)).map(([group]) => group)]),
      ]
      const watermarks = await reader.watermarks(all)
      const lags: GroupLag[] = []
      for (const group of new Set(all.flatMap(readersOf))) {
        const read = all.filter(topic => readersOf(topic).includes(group))
        const offsets = await reader.committed(onBrokers(group), read)
        const mayBeAbsent = read.every(({ spec }) => spec.lapsing?.includes(group) === true)
        if (mayBeAbsent && read.every(topic => offsets.get(topic)!.size === 0)) continue
        for (const topic of read) {
          for (const [partition, { low, high }] of watermarks.get(topic)!.entries()) {
            const committed = offsets.get(topic)!.get(partition)?.offset ?? low
            const lagRecords = Math.max(0, high - committed)
            const lagMs = lagRecords > 0 ? await lagClock.ageOf(topic, partition, Math.max(low, committed)) : 0
            lags.push({ group, topic: topic.spec.name, partition, committed, lagRecords, lagMs })
          }
        }
      }
      return lags
    },

    close: () =>
      (closed ??= (async () => {
        await Promise.all([...consumers].map(consumer => consumer.stop()))
        await appender.close()
        await closeAll()
      })()),
  }
}
