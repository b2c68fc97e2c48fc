// Reading without a group: fetches by offset, watermarks, and committed offsets.
import { AppError } from '@svc-server/errors'
import type { Admin, Broker, Cluster, KafkaMessage } from 'kafkajs'
import type { CommittedOffset, FetchedBatch, LogRecord } from '../port.ts'
import { answerMs, withinDeadline } from './deadline.ts'
import { hasName, protocolError, toAppError } from './failures.ts'
import { payloadBytesOf } from './record-size.ts'
import type { KafkaTopic } from './topics.ts'
import { stableOffsets } from './wire.ts'

export interface Watermarks {
  readonly low: number
  /** The last stable offset. Readers get committed records only up to this offset. */
  readonly high: number
}

type GroupOffsets = ReadonlyMap<KafkaTopic, ReadonlyMap<number, CommittedOffset>>

export interface Reader {
  /**
   * Makes one fetch. If all fetched records are markers or belong to aborted transactions, the result has no records. `maxBytes` limits
   * the records in the result, and `fetchBytes` limits what the broker sends. If `fetchBytes` is 1, the broker sends only the batch that
   * contains `from`.
   */
  read(topic: KafkaTopic, partition: number, from: number, maxBytes: number, fetchBytes?: number): Promise<FetchedBatch>
  /** Returns watermarks by partition. */
  watermarks(topics: readonly KafkaTopic[]): Promise<ReadonlyMap<KafkaTopic, readonly Watermarks[]>>
  /** Returns the last stable offset of each partition. */
  ends(topics: readonly KafkaTopic[]): Promise<ReadonlyMap<KafkaTopic, readonly number[]>>
  /** Returns committed offsets for monitoring. The offsets can be outdated while a transaction is being committed. */
  committed(group: string, topics: readonly KafkaTopic[]): Promise<GroupOffsets>
  /** Returns an owner's position. Rejects with `log_unavailable` while the brokers commit a transaction that changes this position. */
  position(group: string, topics: readonly KafkaTopic[]): Promise<GroupOffsets>
}

// Minimum limit of a fetch. A smaller limit could not cap the size of a fetch, because a fetch returns whole batches even above its limit.
// A smaller limit would only cause more fetches.
const minFetchBytes = 1024 * 1024
const readCommitted = 1
const ATTEMPTS = 8
const retryMs = 100

interface FetchedPartition {
  readonly partition: number
  readonly highWatermark: string
  readonly lastStableOffset: string
  readonly abortedTransactions: readonly { readonly producerId: string; readonly firstOffset: string }[]
  readonly messages: readonly FetchedMessage[]
}
type FetchedMessage = KafkaMessage & {
  readonly isControlRecord?: boolean
  readonly batchContext?: { readonly producerId: string; readonly inTransaction: boolean }
}

export function outOfRange(topic: KafkaTopic, partition: number, from: number, { low, high }: Watermarks, group?: string): AppError {
  const who = group === undefined ? 'A read' : `Group ${group}`
  const what =
    from < low
      ? `records ${from} to ${low - 1} (${low - from}) are lost, because the log begins at ${low}`
      : `the log ends at ${high}, so these offsets belong to a different log`
  return new AppError('offset_out_of_range', `${who} reads ${topic.spec.name}/${partition} from offset ${from}, but ${what}.`, {
    group,
    topic: topic.spec.name,
    partition,
    offset: from,
    lowWatermark: low,
    highWatermark: high,
    lost: Math.max(0, low - from),
  })
}

export const toLogRecord = (topic: string, partition: number, { offset, timestamp, key, value }: KafkaMessage): LogRecord => ({
  topic,
  partition,
  offset: Number(offset),
  timestampMs: Number(timestamp),
  key,
  value,
})

export function createReader(admin: Admin, cluster: Cluster): Reader {
  /** Retries a request with new metadata for about a second, because leaders move and connections break. */
  async function patiently<T>(doing: string, request: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await withinDeadline(request(), answerMs, doing)
      } catch (error) {
        if (error instanceof AppError || hasName(error, 'KafkaJSOffsetOutOfRange') || attempt === ATTEMPTS) throw toAppError(error, doing)
        await new Promise(resolve => setTimeout(resolve, retryMs * attempt))
        await cluster
          .connect()
          .then(() => cluster.refreshMetadata())
          .catch(() => {})
      }
    }
  }

  const leaderOf = async (topic: KafkaTopic, partition: number): Promise<Broker> => {
    await cluster.addMultipleTargetTopics([topic.name])
    await cluster.refreshMetadataIfNecessary()
    const [nodeId] = Object.keys(cluster.findLeaderForPartitions(topic.name, [partition]))
    if (nodeId === undefined) throw new RangeError(`Topic ${topic.spec.name} has no partition ${partition}.`)
    return cluster.findBroker({ nodeId })
  }

  const fetch = async (topic: KafkaTopic, partition: number, from: number, maxBytes: number): Promise<FetchedPartition> => {
    const broker = await leaderOf(topic, partition)
    const answer = (await broker.fetch({
      isolationLevel: readCommitted,
      maxWaitTime: 0,
      minBytes: 0,
      maxBytes,
      topics: [{ topic: topic.name, partitions: [{ partition, fetchOffset: String(from), maxBytes }] }],
    })) as { readonly responses: readonly { readonly partitions: readonly FetchedPartition[] }[] }
    return answer.responses[0]!.partitions[0]!
  }

  const offsetsOf = async (topics: readonly KafkaTopic[], fromBeginning: boolean): Promise<ReadonlyMap<KafkaTopic, readonly number[]>> => {
    await cluster.addMultipleTargetTopics(topics.map(({ name }) => name))
    await cluster.refreshMetadataIfNecessary()
    const partitionsOf = ({ spec }: KafkaTopic) => Array.from({ length: spec.partitions }, (_, partition) => ({ partition }))
    const answers = await cluster.fetchTopicsOffset(
      topics.map(topic => ({ topic: topic.name, partitions: partitionsOf(topic), fromBeginning })),
    )
    const found = new Map(
      answers.map(({ topic, partitions }) => [topic, new Map(partitions.map(one => [one.partition, Number(one.offset)]))]),
    )
    const of = (topic: KafkaTopic, partition: number): number => {
      const offset = found.get(topic.name)?.get(partition)
      if (offset === undefined) throw new AppError('log_unavailable', `${topic.name}/${partition} has no leader that responds.`)
      return offset
    }
    return new Map(topics.map(topic => [topic, Array.from({ length: topic.spec.partitions }, (_, partition) => of(topic, partition))]))
  }

  const watermarks: Reader['watermarks'] = topics =>
    patiently('Looking up offsets', async () => {
      const [lows, highs] = [await offsetsOf(topics, true), await offsetsOf(topics, false)]
      return new Map(topics.map(topic => [topic, lows.get(topic)!.map((low, partition) => ({ low, high: highs.get(topic)![partition]! }))]))
    })

  return {
    async read(topic, partition, from, maxBytes, fetchBytes = Math.max(minFetchBytes, maxBytes)) {
      const { name } = topic.spec
      try {
        return await patiently(`Reading ${topic.name}/${partition}`, async () => {
          const fetched = await fetch(topic, partition, from, fetchBytes)
          const end = Number(fetched.lastStableOffset)
          const within = fetched.messages.filter(({ offset }) => Number(offset) >= from)
          const last = within.at(-1)
          let nextOffset = last ? Number(last.offset) + 1 : from
          const records: LogRecord[] = []
          let bytes = 0
          for (const message of committedOnly(within, fetched.abortedTransactions)) {
            const size = payloadBytesOf(message)
            if (records.length > 0 && bytes + size > maxBytes) {
              nextOffset = Number(message.offset)
              break
            }
            bytes += size
            records.push(toLogRecord(name, partition, message))
          }
          return { topic: name, partition, records, nextOffset, highWatermark: Math.max(end, nextOffset) }
        })
      } catch (error) {
        if (!hasName(error, 'KafkaJSOffsetOutOfRange') && protocolError(error) !== 'OFFSET_OUT_OF_RANGE') throw error
        throw outOfRange(topic, partition, from, (await watermarks([topic])).get(topic)![partition]!)
      }
    },

    watermarks,

    ends: topics => patiently('Looking up the ends of partitions', () => offsetsOf(topics, false)),

    async position(group, topics) {
      const wanted = topics.map(({ name, spec }) => ({ name, partitions: spec.partitions }))
      const found = await patiently(`Looking up the position of ${group}`, () => stableOffsets(cluster, group, wanted))
      return new Map(
        topics.map(topic => {
          const answers = new Map(found.flatMap(one => (one.topic === topic.name ? [[one.partition, one] as const] : [])))
          // A response can omit a partition, even if the partition has a committed position.
          if (answers.size < topic.spec.partitions)
            throw new AppError('log_unavailable', `The position of ${group} is unknown for some partitions of ${topic.name}.`)
          const committed = [...answers.values()].filter(({ offset }) => offset >= 0)
          return [topic, new Map(committed.map(({ partition, offset, metadata }) => [partition, { offset, metadata }]))] as const
        }),
      )
    },

    async committed(group, topics) {
      return patiently(`Looking up the offsets of ${group}`, async () => {
        const answers = await admin.fetchOffsets({ groupId: group, topics: topics.map(({ name }) => name) })
        return new Map(
          topics.map(topic => {
            const found = new Map<number, CommittedOffset>()
            for (const { partition, offset, metadata } of answers.find(answer => answer.topic === topic.name)?.partitions ?? []) {
              if (Number(offset) >= 0) found.set(partition, { offset: Number(offset), metadata: metadata ?? '' })
            }
            return [topic, found] as const
          }),
        )
      })
    },
  }
}

/** Drops control records and records of aborted transactions. */
function committedOnly(messages: readonly FetchedMessage[], aborted: FetchedPartition['abortedTransactions']): FetchedMessage[] {
  const waiting = [...aborted].sort((a, b) => Number(a.firstOffset) - Number(b.firstOffset))
  const abortedProducers = new Set<string>()
  return messages.filter(({ offset, isControlRecord, batchContext }) => {
    while (waiting.length > 0 && Number(offset) >= Number(waiting[0]!.firstOffset)) abortedProducers.add(waiting.shift()!.producerId)
    if (isControlRecord) {
      // Only the abort marker ends the producer's transaction. Compaction can leave an empty batch, which is not a marker.
      if (batchContext && isMarker(batchContext)) abortedProducers.delete(batchContext.producerId)
      return false
    }
    return !(batchContext?.inTransaction && abortedProducers.has(batchContext.producerId))
  })
}

const isMarker = (context: object): boolean => 'isControlBatch' in context && context.isControlBatch === true
