// Writes records and a group's position in one transaction. Each input partition has a transactional id. A member that is assigned the
// partition takes over this id. The former owner can then no longer commit. The broker ends the former owner's open transaction before the
// new owner reads offsets.
import { AppError } from '@svc-server/errors'
import type { Cluster, Message, Producer, Transaction } from 'kafkajs'
import type { Logger } from '../embedded/logger.ts'
import type { CommittedOffset, NewRecord } from '../port.ts'
import { type Client, type ClientTuning, type Connection, createClient, partitionGiven } from './client.ts'
import { isProducerFenced, isRefusal, protocolError, reasonOf, toAppError } from './failures.ts'
import type { Reader } from './reader.ts'
import type { KafkaTopic } from './topics.ts'
import type { Cutter, Unit } from './units.ts'
import { takeTransactionalId } from './wire.ts'

export interface TransactionsOptions {
  readonly connection: Connection
  readonly cluster: Cluster
  readonly reader: Reader
  readonly cutter: Cutter
  readonly group: string
  /** The group's name on the brokers, which begins with the deployment's prefix. */
  readonly groupId: string
  readonly transactionTimeoutMs: number
  readonly logger: Logger
}

interface TransactionalCommit {
  readonly topic: KafkaTopic
  readonly partition: number
  readonly offset: number
  readonly metadata: string
  readonly appends: readonly (readonly [topic: KafkaTopic, records: readonly NewRecord[]])[]
  /** The group's last commit, as far as this member knows. */
  readonly before: CommittedOffset | undefined
  /** Rejects with `fenced` unless this member still owns the partition. */
  readonly confirm: () => Promise<void>
}

export interface Transactions {
  /** Ends the open transactions of former owners, and fences these owners. Called at the beginning of every assignment. */
  takeOver(partitions: readonly { readonly topic: KafkaTopic; readonly partition: number }[], signal: AbortSignal): Promise<void>
  /**
   * Commits records and offset together. If `commit` rejects with `fenced` or `record_too_large`, nothing is committed. If `commit` rejects
   * with `log_unavailable` and `inDoubt` is false, nothing is committed either. If `commit` rejects with `log_unavailable` and `inDoubt` is
   * true, the records and the offset can have been committed.
   */
  commit(request: TransactionalCommit): Promise<void>
  /** True if a commit's outcome is unknown. The caller must then read the partition's committed offset before it delivers records again. */
  inDoubt(topic: KafkaTopic, partition: number): boolean
  /** Determines the outcome of a commit in doubt. Rejects with `log_unavailable` if the outcome cannot be determined. */
  settle(topic: KafkaTopic, partition: number): Promise<void>
  close(): Promise<void>
}

// While the previous transaction's markers are being written, the broker responds with CONCURRENT_TRANSACTIONS. The client then retries the
// request. A long delay before the first retry would slow every commit: with kafkajs's default of 300 ms, a commit takes 315 ms.
const tuning: ClientTuning = {
  requestTimeoutMs: 5000,
  connectionTimeoutMs: 2000,
  retry: { initialRetryTime: 10, factor: 0.2, multiplier: 2, maxRetryTime: 500, retries: 10 },
}

const takeOverRetryMs = 20
// These errors are temporary: the coordinator is being elected, is loading its state, or has not yet ended the former owner's transaction.
const passing = new Set([
  'CONCURRENT_TRANSACTIONS',
  'NOT_COORDINATOR_FOR_GROUP',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'GROUP_LOAD_IN_PROGRESS',
])

interface Owned {
  readonly producer: Producer
  readonly client: Client
}

interface Lane {
  owned?: Owned | undefined
  doubt?: { readonly offset: number; readonly metadata: string; readonly before: CommittedOffset | undefined } | undefined
}

export function createTransactions(options: TransactionsOptions): Transactions {
  const { cluster, reader, cutter, group, groupId, transactionTimeoutMs, logger } = options
  const lanes = new Map<string, Lane>()
  const keyOf = (topic: KafkaTopic, partition: number): string => `${groupId}/${topic.name}/${partition}`
  const laneOf = (topic: KafkaTopic, partition: number): Lane => {
    const key = keyOf(topic, partition)
    let lane = lanes.get(key)
    if (!lane) lanes.set(key, (lane = {}))
    return lane
  }

  const discard = async (lane: Lane): Promise<void> => {
    const { owned } = lane
    lane.owned = undefined
    if (!owned) return
    owned.client.sockets.cut()
    await owned.producer.disconnect().catch(() => {})
  }

  const abort = async (transaction: Transaction | undefined): Promise<void> => {
    // If the abort fails, the next takeover aborts the transaction, or the broker aborts it after the transaction's timeout.
    if (transaction?.isActive()) await transaction.abort().catch(() => {})
  }

  /**
   * Begins a transaction, if necessary with a new producer. A new producer takes over the transactional id from any other member, even if
   * the other member owns the partition.
   */
  const begin = async (lane: Lane, key: string): Promise<{ readonly transaction: Transaction; readonly isNew: boolean }> => {
    const isNew = lane.owned === undefined
    if (lane.owned === undefined) {
      const client = createClient(options.connection, tuning)
      const producer = client.kafka.producer({
        transactionalId: key,
        transactionTimeout: transactionTimeoutMs,
        maxInFlightRequests: 1,
        allowAutoTopicCreation: false,
        retry: tuning.retry,
        createPartitioner: partitionGiven,
      })
      lane.owned = { client, producer }
      await producer.connect()
    }
    return { transaction: await lane.owned.producer.transaction(), isNew }
  }

  const sendAll = async (transaction: Transaction, units: readonly Unit[]): Promise<void> => {
    // The partitions are sent one after the other, for the reasons in dispatcher.ts.
    for (const { topic, partition, messages } of units) {
      const sent = await transaction.send({
        topic: topic.name,
        acks: -1,
        timeout: tuning.requestTimeoutMs,
        messages: messages as Message[],
      })
      if (!sent.some(one => one.topicName === topic.name && one.partition === partition)) {
        throw new AppError('log_unavailable', `${topic.name}/${partition} did not acknowledge its part of a transaction.`)
      }
    }
  }

  /**
   * Determines whether a doubtful commit succeeded. The function first takes over the transactional id, so that the broker ends the open
   * transaction.
   */
  const settle = async (topic: KafkaTopic, partition: number): Promise<'done' | 'not done'> => {
    const lane = laneOf(topic, partition)
    const { doubt } = lane
    if (!doubt) return 'not done'
    await discard(lane)
    await takeOver(keyOf(topic, partition), AbortSignal.timeout(tuning.requestTimeoutMs * 2))
    const now = (await reader.position(groupId, [topic])).get(topic)!.get(partition)
    lane.doubt = undefined
    const is = (one: CommittedOffset | undefined): boolean => one?.offset === doubt.offset && one.metadata === doubt.metadata
    // If the commit would change neither the position nor the metadata, the group's offset cannot show whether the commit succeeded.
    if (is(doubt.before))
      throw new AppError('log_unavailable', `Cannot determine whether the last commit of ${topic.spec.name}/${partition} succeeded.`)
    return is(now) ? 'done' : 'not done'
  }

  const takeOver = async (transactionalId: string, signal: AbortSignal): Promise<void> => {
    for (const deadline = performance.now() + transactionTimeoutMs + 15_000; ; ) {
      try {
        return await takeTransactionalId(cluster, transactionalId, transactionTimeoutMs)
      } catch (error) {
        if (isRefusal(error) || signal.aborted || performance.now() > deadline)
          throw toAppError(error, `Taking over the transactions of ${transactionalId}`)
        if (!passing.has(protocolError(error) ?? ''))
          await cluster
            .connect()
            .then(() => cluster.refreshMetadata())
            .catch(() => {})
        await new Promise(resolve => setTimeout(resolve, takeOverRetryMs))
      }
    }
  }

  return {
    async takeOver(partitions, signal) {
      // If the member keeps a partition, taking over the partition's transactional id also fences the producer that this member already
      // has for the partition. The member therefore discards all its producers first.
      await Promise.all([...lanes.values()].map(discard))
      lanes.clear()
      await Promise.all(partitions.map(({ topic, partition }) => takeOver(keyOf(topic, partition), signal)))
    },

    async commit(request) {
      const { topic, partition, offset, metadata, confirm, before } = request
      const key = keyOf(topic, partition)
      const lane = laneOf(topic, partition)
      const units = request.appends.flatMap(([target, records]) => cutter.cut(target, records))
      const doing = `Committing ${key} with records`
      const { doubt } = lane
      if (doubt) {
        const outcome = await settle(topic, partition)
        if (outcome === 'done' && doubt.offset === offset && doubt.metadata === metadata) return
      }
      for (let attempt = 1; ; attempt++) {
        let transaction: Transaction | undefined
        try {
          const begun = await begin(lane, key)
          transaction = begun.transaction
          // The producer must exist before the ownership is confirmed. Otherwise, a later owner could take over between the confirmation
          // and the creation of this producer. A takeover fences only existing producers, so it would not fence this producer.
          if (begun.isNew) await confirm()
          await sendAll(transaction, units)
          await transaction.sendOffsets({
            consumerGroupId: groupId,
            topics: [{ topic: topic.name, partitions: [{ partition, offset: String(offset), metadata } as never] }],
          })
        } catch (error) {
          await abort(transaction)
          await discard(lane)
          // Either the partition has a new owner, or a delayed former owner has taken over the transactional id. Only the group knows
          // which.
          if (isProducerFenced(error) && attempt === 1) continue
          if (isProducerFenced(error))
            throw new AppError('fenced', `${key} belongs to a different member.`, { group, topic: topic.spec.name, partition })
          throw toAppError(error, doing)
        }
        try {
          await transaction.commit()
          return
        } catch (error) {
          lane.doubt = { offset, metadata, before }
          logger.warn(
            { group, topic: topic.spec.name, partition, reason: reasonOf(error) },
            'the outcome of a transaction is unknown; it is looked up on the log',
          )
          if ((await settle(topic, partition)) === 'done') return
          if (isProducerFenced(error)) await confirm()
          throw toAppError(error, doing)
        }
      }
    },

    inDoubt: (topic, partition) => laneOf(topic, partition).doubt !== undefined,
    async settle(topic, partition) {
      await settle(topic, partition)
    },

    async close() {
      for (const lane of lanes.values()) {
        const { owned } = lane
        lane.owned = undefined
        await owned?.producer.disconnect().catch(() => {})
      }
    },
  }
}
