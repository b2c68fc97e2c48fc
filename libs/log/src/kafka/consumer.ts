// Implements a member of a consumer group with kafkajs. After every assignment, the member pauses, takes over its partitions, and reads
// positions and open intents (announced batches).
import { AppError, isRetryable } from '@svc-server/errors'
import type { Consumer as KafkaConsumer } from 'kafkajs'
import { declaredTopic } from '../declared.ts'
import type { Logger } from '../embedded/logger.ts'
import { sayExpired } from '../expired.ts'
import type { ConsumeOptions, Consumer, FetchedBatch } from '../port.ts'
import { coPartitionedAssigner } from './assigner.ts'
import { type Assignment, createAssignment, partitionKey } from './assignment.ts'
import { type Connection, createClient, patient } from './client.ts'
import { createDelivery } from './delivery.ts'
import { createEnding } from './ending.ts'
import { hasName, reasonOf, toAppError } from './failures.ts'
import { outOfRange, type Reader } from './reader.ts'
import { type Place, placesOf, takeOver, untilTaken } from './take-over.ts'
import type { KafkaTopic } from './topics.ts'
import type { Transactions } from './transactions.ts'

export interface ConsumerDeps {
  readonly connection: Connection
  /** Name of the group on the brokers. */
  readonly groupId: string
  readonly topics: ReadonlyMap<string, KafkaTopic>
  readonly reader: Reader
  readonly transactions: Transactions
  readonly sessionTimeoutMs: number
  readonly rebalanceTimeoutMs: number
  readonly logger: Logger
  readonly onTransactional: (topic: KafkaTopic) => void
  readonly onDelivered: (batch: FetchedBatch) => void
}

// A fetch must not wait longer, because a member sends no heartbeat during a fetch, and can stop only after the fetch.
const maxFetchWaitMs = 1000
// Minimum limit of a fetch. A smaller limit could not cap the size of a fetch, because a fetch returns whole batches even above its limit.
// A smaller limit would only cause more fetches.
const minFetchBytes = 1024 * 1024
// Maximum age of the list of partition leaders. With kafkajs's default of five minutes, a partition without a leader could stay unread for
// five minutes.
const metadataMaxAgeMs = 10_000
const reviveMs = 1000

export async function startConsumer(deps: ConsumerDeps, options: ConsumeOptions, onEnd: () => void): Promise<Consumer> {
  const { topics, reader, transactions, logger, sessionTimeoutMs, groupId } = deps
  const { group } = options
  const subscribed = options.topics.map(name => declaredTopic(topics, name))
  const byName = new Map(subscribed.map(topic => [topic.name, topic]))
  const fetchWaitMs = Math.min(options.maxWaitMs, maxFetchWaitMs)
  const maxBytesPerPartition = Math.max(minFetchBytes, options.maxBatchBytes)
  const { kafka } = createClient(deps.connection, patient)
  const consumer: KafkaConsumer = kafka.consumer({
    groupId,
    partitionAssigners: [coPartitionedAssigner],
    sessionTimeout: sessionTimeoutMs,
    rebalanceTimeout: deps.rebalanceTimeoutMs,
    heartbeatInterval: Math.max(100, Math.floor(sessionTimeoutMs / 10)),
    minBytes: Math.max(1, options.minBytes),
    maxWaitTimeInMs: fetchWaitMs,
    maxBytesPerPartition,
    maxBytes: Math.max(maxBytesPerPartition, Math.ceil(maxBytesPerPartition * 1.5)),
    allowAutoTopicCreation: false,
    metadataMaxAge: metadataMaxAgeMs,
    retry: { ...patient.retry, restartOnFailure: async () => !stopping.aborted },
  })

  let assignment: ReturnType<typeof createAssignment> | undefined

  const ending = createEnding(options, logger, async () => {
    // Running handlers can still commit. kafkajs leaves the group after they have returned.
    await consumer
      .disconnect()
      .catch(error => logger.warn({ group, reason: reasonOf(error) }, 'A consumer did not leave its group cleanly'))
    if (assignment) await Promise.all(assignment.running)
    assignment?.end()
    await transactions.close()
    onEnd()
  })
  const { signal: stopping, end, fail } = ending

  const delivery = createDelivery({
    ...deps,
    group,
    consumer,
    options,
    fetchWaitMs,
    stopping: stopping,
    fail,
  })

  const prepare = async (current: NonNullable<typeof assignment>, owned: readonly Place[], before: Assignment | undefined) => {
    // Two handlers must not process the same partition at the same time, and handlers of the previous assignment can still be running.
    if (before) await Promise.all(before.running)
    const { states, assigned, watermarks } = await takeOver({ ...deps, group }, owned, current.signal)
    if (current.over) return
    sayExpired(logger, group, assigned)
    for (const open of (await options.onAssigned?.(assigned)) ?? []) {
      const state = states.find(({ topic, partition }) => topic.spec.name === open.topic && partition === open.partition)
      if (!state) throw new Error(`onAssigned named ${open.topic}/${open.partition}, which is not assigned.`)
      const { low, high } = watermarks.get(state.topic)![state.partition]!
      if (open.until > high) throw outOfRange(state.topic, state.partition, open.until, { low, high }, group)
      state.mustReach = open.until
    }
    if (current.over) return
    for (const state of states) {
      current.partitions.set(partitionKey(state.topic.name, state.partition), state)
      delivery.seek(state)
    }
    if (states.length > 0) consumer.resume(states.map(({ topic, partition }) => ({ topic: topic.name, partitions: [partition] })))
  }

  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    const before = assignment
    before?.end()
    const current = createAssignment(stopping)
    assignment = current
    const owned = placesOf(payload.memberAssignment, byName)
    // This pause must be synchronous, so that it precedes the first fetch of this assignment.
    if (owned.length > 0) consumer.pause(owned.map(([topic, partition]) => ({ topic: topic.name, partitions: [partition] })))
    logger.info({ group, partitions: owned.map(([topic, partition]) => `${topic.spec.name}/${partition}`) }, 'Joined the consumer group')
    const isOver = () => current.over || stopping.aborted
    const preparing = untilTaken(() => prepare(current, owned, before), { isOver, logger, group }).catch(fail)
    current.running.add(preparing)
    void preparing.then(() => current.running.delete(preparing))
  })
  consumer.on(consumer.events.REBALANCING, () => {
    logger.info({ group }, 'The consumer group is rebalancing')
    assignment?.end()
  })
  consumer.on(consumer.events.CRASH, ({ payload }) => {
    const { error, restart } = payload
    assignment?.end()
    if (restart) {
      logger.warn({ group, reason: reasonOf(error) }, 'A consumer lost its brokers and reconnects')
      // A stop began while the consumer was not running, so this code completes the stop.
      if (stopping.aborted) setImmediate(() => void consumer.disconnect().catch(() => {}))
      return
    }
    // kafkajs stops after an error that it considers final, and after some seconds without a coordinator.
    lostRange(error).then(cause => (isRetryable(cause) ? revive(cause) : fail(cause)), fail)
  })

  const run = (): Promise<void> =>
    consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: options.concurrency,
      eachBatch: payload => delivery.eachBatch(assignment, payload),
    })
  const revive = async (cause: unknown): Promise<void> => {
    while (!stopping.aborted) {
      logger.warn({ group, reason: reasonOf(cause) }, 'A consumer could not reconnect to its brokers and is restarted')
      await new Promise(resolve => setTimeout(resolve, reviveMs))
      try {
        if (!stopping.aborted) await consumer.connect().then(run)
        // A stop began while the consumer was not running, so this code completes the stop.
        if (stopping.aborted) await consumer.disconnect()
        return
      } catch (error) {
        cause = error
      }
    }
  }

  /** Converts an error of kafkajs. If retention has deleted the reader's next records, the result contains the lost range. */
  const lostRange = async (error: Error): Promise<unknown> => {
    if (!hasName(error, 'KafkaJSOffsetOutOfRange')) return toAppError(error, `Consuming as ${group}`)
    const place = placeOf(error)
    const topic = place && byName.get(place.topic)
    const state = topic && assignment?.partitions.get(partitionKey(topic.name, place.partition))
    if (!topic || !state) return new AppError('offset_out_of_range', `Group ${group} reads outside the log: ${reasonOf(error)}.`, { group })
    return outOfRange(topic, state.partition, state.expected, (await reader.watermarks([topic])).get(topic)![state.partition]!, group)
  }

  try {
    await consumer.connect()
    await consumer.subscribe({ topics: subscribed.map(({ name }) => name), fromBeginning: true })
    await run()
  } catch (error) {
    await end()
    throw toAppError(error, `Joining group ${group}`)
  }
  return { stop: end }
}

function placeOf(error: unknown): { readonly topic: string; readonly partition: number } | undefined {
  for (let one = error; one instanceof Error; one = one.cause) {
    if ('topic' in one && 'partition' in one) return { topic: String(one.topic), partition: Number(one.partition) }
  }
  return undefined
}
