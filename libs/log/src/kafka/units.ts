import { AppError } from '@svc-server/errors'
import type { Message } from 'kafkajs'
import { createStickyPartitioner, partitionOfKey } from '../partitioner.ts'
import type { NewRecord } from '../port.ts'
import { batchOverhead, maxRecordOverhead, payloadBytesOf, wireBytesOf } from './record-size.ts'
import type { KafkaTopic } from './topics.ts'

/** A part of an append. The records of a unit go to one partition and fit into one batch. */
export interface Unit {
  readonly topic: KafkaTopic
  readonly partition: number
  readonly messages: readonly Message[]
  /** False if a key or the caller determines the partition. */
  readonly isMovable: boolean
  /** Bytes of the messages on the wire, without the framing of their batch. */
  readonly bytes: number
  /** Positions of the unit's records in the list of records that the caller appends. */
  readonly indexes: readonly number[]
}

interface Run {
  readonly messages: Message[]
  isMovable: boolean
  readonly indexes: number[]
  bytes: number
}

export interface Cutter {
  /** Cuts an append into units, without copying keys and values. Throws `record_too_large`. */
  cut(topic: KafkaTopic, records: readonly NewRecord[]): Unit[]
  /**
   * Sends the units of this partition to other partitions, until a few seconds have passed or `trust` is called. A unit with a keyed
   * record, or with a record for a fixed partition, is not moved.
   */
  avoid(topic: KafkaTopic, partition: number): void
  trust(topic: KafkaTopic, partition: number): void
  /** Moves the unit to a partition that is not avoided (see `avoid`). Returns undefined if all partitions are avoided. */
  move(unit: Unit): Unit | undefined
}

// After this time, records are sent to an avoided partition again. Only a successful send can show that the partition has recovered.
const avoidMs = 5000

export function createCutter(clock: () => number): Cutter {
  const sticky = new Map<string, (bytes: number) => number>()
  const avoided = new Map<string, number>()
  const keyOf = (topic: KafkaTopic, partition: number): string => `${topic.name}/${partition}`
  const isAvoided = (topic: KafkaTopic, partition: number): boolean => (avoided.get(keyOf(topic, partition)) ?? 0) > performance.now()
  /**
   * Starting at the given partition, returns the first partition that is not avoided. If all partitions are avoided, returns the given
   * partition.
   */
  const around = (topic: KafkaTopic, partition: number): number => {
    if (avoided.size === 0) return partition
    for (let step = 0; step < topic.spec.partitions; step++) {
      const next = (partition + step) % topic.spec.partitions
      if (!isAvoided(topic, next)) return next
    }
    return partition
  }
  const stickyOf = ({ name, spec: { partitions } }: KafkaTopic): ((bytes: number) => number) => {
    let choose = sticky.get(name)
    if (!choose) {
      const next = createStickyPartitioner({ partitions, clock })
      // The first partition is random, so that gateways that start together begin with different partitions.
      const first = Math.floor(Math.random() * partitions)
      choose = bytes => (first + next(bytes)) % partitions
      sticky.set(name, choose)
    }
    return choose
  }

  const choose = (topic: KafkaTopic, record: NewRecord): number => {
    if (record.partition !== undefined) return record.partition
    if (record.key !== null) return partitionOfKey(record.key, topic.spec.partitions)
    return around(topic, stickyOf(topic)(payloadBytesOf(record)))
  }

  const check = ({ spec, maxBatchBytes }: KafkaTopic, records: readonly NewRecord[]): void => {
    const limitBytes = Math.min(spec.maxRecordBytes, maxBatchBytes - maxRecordOverhead)
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
      const limit = topic.maxBatchBytes - batchOverhead
      for (const [index, record] of records.entries()) {
        const partition = choose(topic, record)
        const bytes = wireBytesOf(record)
        let run = open.get(partition)
        if (!run || run.bytes + bytes > limit) {
          run = { messages: [], indexes: [], bytes: 0, isMovable: true }
          open.set(partition, run)
          runs.push({ partition, run })
        }
        run.messages.push({ key: asBuffer(record.key), value: asBuffer(record.value), partition })
        run.indexes.push(index)
        run.isMovable &&= record.key === null && record.partition === undefined
        run.bytes += bytes
      }
      return runs.map(({ partition, run }) => ({ topic, partition, ...run }))
    },
    avoid: (topic, partition) => void avoided.set(keyOf(topic, partition), performance.now() + avoidMs),
    trust: (topic, partition) => void avoided.delete(keyOf(topic, partition)),
    move(unit) {
      const partition = around(unit.topic, unit.partition)
      if (isAvoided(unit.topic, partition)) return undefined
      return { ...unit, partition, messages: unit.messages.map(message => ({ ...message, partition })) }
    },
  }
}

// kafkajs would treat a value that is not a Buffer as text.
const asBuffer = (bytes: Uint8Array | null): Buffer | null =>
  bytes === null || Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
