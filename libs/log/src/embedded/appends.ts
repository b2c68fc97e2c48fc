// Turns records into a command for the writer, which assigns offsets and times.
import { AppError } from '@svc-server/errors'
import { declaredTopic } from '../declared.ts'
import { createStickyPartitioner, partitionOfKey } from '../partitioner.ts'
import type { NewRecord, RecordPosition } from '../port.ts'
import { encodeBatch, type PendingBatch, payloadBytesOf } from './record-batch.ts'
import { type Committer, makeRoom } from './retention.ts'
import type { Draft, Partition, Topic } from './state.ts'
import type { Store } from './store.ts'

// Maximum bytes of a batch. The size of a batch is limited, because a reader that needs only one record still reads the whole batch.
const batchBytes = 1024 * 1024

interface PreparedAppend {
  readonly topic: Topic
  readonly bytes: number
  readonly parts: readonly { readonly partition: Partition; readonly batch: PendingBatch; readonly indexes: readonly number[] }[]
}

export interface AppendPath {
  /** Checks the records and encodes them into batches, but does not queue the batches. Throws `record_too_large`. */
  prepare(topicName: string, records: readonly NewRecord[]): PreparedAppend
  /**
   * Throws `log_full` if the topic has no room. The writer calls `admit` for all appends of a command before it calls `place` for the first
   * append. `committer` is null for a client's append.
   */
  admit(draft: Draft, prepared: PreparedAppend, committer: Committer | null): void
  place(draft: Draft, prepared: PreparedAppend): RecordPosition[]
}

export function createAppendPath({
  store,
  topics,
  clock,
}: {
  store: Store
  topics: ReadonlyMap<string, Topic>
  clock: () => number
}): AppendPath {
  const sticky = new Map<string, (bytes: number) => number>()
  for (const [name, { partitions }] of topics) sticky.set(name, createStickyPartitioner({ partitions: partitions.length, clock }))

  const choose = (topic: Topic, record: NewRecord, bytes: number): number => {
    if (record.partition !== undefined) return record.partition
    if (record.key !== null) return partitionOfKey(record.key, topic.partitions.length)
    return sticky.get(topic.spec.name)!(bytes)
  }

  const check = (topic: Topic, records: readonly NewRecord[]): void => {
    const { name, maxRecordBytes, cleanup } = topic.spec
    for (const record of records) {
      const bytes = payloadBytesOf(record)
      if (bytes > maxRecordBytes) {
        throw new AppError('record_too_large', `A record of ${bytes} bytes is above the limit of ${name}, ${maxRecordBytes} bytes.`, {
          topic: name,
          bytes,
          limitBytes: maxRecordBytes,
        })
      }
      if (record.key === null && cleanup !== 'delete') throw new TypeError(`Topic ${name} is compacted: its records need a key.`)
      if (record.partition !== undefined && !topic.partitions[record.partition]) {
        throw new RangeError(`Topic ${name} has no partition ${record.partition}.`)
      }
    }
  }

  return {
    prepare(topicName, records) {
      const topic = declaredTopic(topics, topicName)
      check(topic, records)
      const groups = new Map<number, number[]>()
      records.forEach((record, index) => {
        const partition = choose(topic, record, payloadBytesOf(record))
        const group = groups.get(partition)
        if (group) group.push(index)
        else groups.set(partition, [index])
      })
      const parts: { partition: Partition; batch: PendingBatch; indexes: number[] }[] = []
      let bytes = 0
      for (const [number, all] of groups) {
        for (const indexes of cut(records, all)) {
          const batch = encodeBatch(indexes.map(index => records[index]!))
          bytes += batch.bytes.length
          parts.push({ partition: topic.partitions[number]!, batch, indexes })
        }
      }
      return { topic, bytes, parts }
    },

    admit: (draft, { topic, bytes }, committer) => makeRoom(draft, store, topic, bytes, committer),

    place(draft, { topic, parts }) {
      const positions: RecordPosition[] = []
      for (const { partition, batch, indexes } of parts) {
        const { baseOffset, timestampMs } = draft.append(partition, batch)
        indexes.forEach((index, i) => {
          positions[index] = { topic: topic.spec.name, partition: partition.partition, offset: baseOffset + i, timestampMs }
        })
      }
      return positions
    },
  }
}

/** A record larger than `batchBytes` gets a batch of its own. */
function* cut(records: readonly NewRecord[], indexes: readonly number[]): Generator<number[]> {
  let run: number[] = []
  let bytes = 0
  for (const index of indexes) {
    const size = payloadBytesOf(records[index]!)
    if (run.length > 0 && bytes + size > batchBytes) {
      yield run
      run = []
      bytes = 0
    }
    run.push(index)
    bytes += size
  }
  if (run.length > 0) yield run
}
