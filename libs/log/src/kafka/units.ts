// From an append to the runs of records that go out: each for one partition and small enough for one batch of its topic.
import { AppError } from '@svc-server/errors'
import type { Message } from 'kafkajs'
import { createStickyPartitioner, partitionOfKey } from '../partitioner.ts'
import type { NewRecord } from '../port.ts'
import { BATCH_OVERHEAD, MAX_RECORD_OVERHEAD, payloadBytesOf, wireBytesOf } from './record-size.ts'
import type { KafkaTopic } from './topics.ts'

/** Records of one append for one partition that fit into one batch. */
export interface Unit {
  readonly topic: KafkaTopic
  readonly partition: number
  readonly messages: readonly Message[]
  /** On the wire, without the batch around them. */
  readonly bytes: number
  /** Places of the records in their append. */
  readonly indexes: readonly number[]
}

interface Run {
  readonly messages: Message[]
  readonly indexes: number[]
  bytes: number
}

export interface Cutter {
  /** Throws `record_too_large`. Keys and values are copied: the caller may use its buffers again. */
  cut(topic: KafkaTopic, records: readonly NewRecord[]): Unit[]
}

export function createCutter(clock: () => number): Cutter {
  const sticky = new Map<string, (bytes: number) => number>()
  const stickyOf = ({ name, spec: { partitions } }: KafkaTopic): ((bytes: number) => number) => {
    let choose = sticky.get(name)
    if (!choose) {
      const next = createStickyPartitioner({ partitions, clock })
      // Several gateways that begin together must not go through the partitions in step.
      const first = Math.floor(Math.random() * partitions)
      choose = bytes => (first + next(bytes)) % partitions
      sticky.set(name, choose)
    }
    return choose
  }

  const choose = (topic: KafkaTopic, record: NewRecord): number => {
    if (record.partition !== undefined) return record.partition
    if (record.key !== null) return partitionOfKey(record.key, topic.spec.partitions)
    return stickyOf(topic)(payloadBytesOf(record))
  }

  const check = ({ spec, maxBatchBytes }: KafkaTopic, records: readonly NewRecord[]): void => {
    const limitBytes = Math.min(spec.maxRecordBytes, maxBatchBytes - MAX_RECORD_OVERHEAD)
    for (const record of records) {
      const bytes = payloadBytesOf(record)
      if (bytes > limitBytes) {
        throw new AppError('record_too_large', `A record of ${bytes} bytes is above the limit of ${spec.name}, ${limitBytes} bytes.`, {
          topic: spec.name,
          bytes,
          limitBytes,
        })
      }
      if (record.key === null && spec.cleanup !== 'delete') throw new TypeError(`Topic ${spec.name} is compacted: its records need a key.`)
      if (record.partition !== undefined && !(record.partition >= 0 && record.partition < spec.partitions)) {
        throw new RangeError(`Topic ${spec.name} has no partition ${record.partition}.`)
      }
    }
  }

  return {
    cut(topic, records) {
      check(topic, records)
      const open = new Map<number, Run>()
      const runs: { readonly partition: number; readonly run: Run }[] = []
      const limit = topic.maxBatchBytes - BATCH_OVERHEAD
      for (const [index, record] of records.entries()) {
        const partition = choose(topic, record)
        const bytes = wireBytesOf(record)
        let run = open.get(partition)
        if (!run || run.bytes + bytes > limit) {
          run = { messages: [], indexes: [], bytes: 0 }
          open.set(partition, run)
          runs.push({ partition, run })
        }
        run.messages.push({ key: copy(record.key), value: copy(record.value), partition })
        run.indexes.push(index)
        run.bytes += bytes
      }
      return runs.map(({ partition, run }) => ({ topic, partition, ...run }))
    },
  }
}

const copy = (bytes: Uint8Array | null): Buffer | null => (bytes === null ? null : Buffer.from(bytes))
