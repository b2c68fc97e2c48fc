// Requests that kafkajs 2.2.4 does not offer: topic ids, sizes on disk, producer ids, and stable offsets.
import type { Broker, Cluster } from 'kafkajs'

/** kafkajs's types omit these members. */
interface BrokerInternals {
  readonly connectionPool: { send(exchange: Exchange<unknown>): Promise<unknown> }
  initProducerId(request: { transactionalId: string; transactionTimeout: number }): Promise<{ producerId: string; producerEpoch: number }>
}
interface ClusterInternals {
  findGroupCoordinator(request: { groupId: string; coordinatorType: number }): Promise<Broker>
}
interface Exchange<T> {
  readonly request: { apiKey: number; apiVersion: number; apiName: string; encode(): Promise<{ buf: Buffer; buffer: Buffer }> }
  readonly response: { decode(data: Buffer): Promise<T>; parse(value: T): Promise<T> }
}

async function exchange<T>(
  broker: Broker,
  api: { key: number; version: number; name: string },
  body: Buffer,
  decode: (data: Cursor) => T,
): Promise<T> {
  const { connectionPool } = broker as unknown as BrokerInternals
  const value = await connectionPool.send({
    request: { apiKey: api.key, apiVersion: api.version, apiName: api.name, encode: async () => ({ buf: body, buffer: body }) },
    response: { decode: async data => decode(new Cursor(data)), parse: async parsed => parsed },
  })
  return value as T
}

class Cursor {
  readonly #data: Buffer
  #at = 0
  constructor(data: Buffer) {
    this.#data = data
  }
  bytes(length: number): Buffer {
    this.#at += length
    return this.#data.subarray(this.#at - length, this.#at)
  }
  int8 = (): number => this.bytes(1).readInt8()
  int16 = (): number => this.bytes(2).readInt16BE()
  int32 = (): number => this.bytes(4).readInt32BE()
  int64 = (): number => Number(this.bytes(8).readBigInt64BE())
  string = (): string => this.bytes(this.int16()).toString()
  array<T>(item: () => T): T[] {
    return Array.from({ length: this.int32() }, item)
  }
  varint(): number {
    for (let value = 0, shift = 0; ; shift += 7) {
      const byte = this.bytes(1)[0]!
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  compactString(): string | null {
    const length = this.varint() - 1
    return length < 0 ? null : this.bytes(length).toString()
  }
  compactArray<T>(item: () => T): T[] {
    return Array.from({ length: Math.max(0, this.varint() - 1) }, item)
  }
  tags(): void {
    for (let left = this.varint(); left > 0; left--) {
      this.varint()
      this.bytes(this.varint())
    }
  }
}

const varint = (value: number): Buffer => {
  const bytes: number[] = []
  for (; value >= 0x80; value >>>= 7) bytes.push((value & 0x7f) | 0x80)
  return Buffer.from([...bytes, value])
}
const compactString = (text: string): Buffer => Buffer.concat([varint(Buffer.byteLength(text) + 1), Buffer.from(text)])
const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

interface TopicMetadata {
  readonly name: string
  /** 32 hexadecimal digits; null if the topic does not exist. */
  readonly id: string | null
  readonly partitions: readonly { readonly partition: number; readonly leader: number; readonly replicas: number }[]
}

export interface ClusterMetadata {
  readonly clusterId: string
  readonly brokers: readonly { readonly id: number; readonly host: string; readonly port: number }[]
  readonly topics: readonly TopicMetadata[]
}

const unknownTopic = 3

/**
 * Describes topics with Metadata version 12, which also returns topic ids. These ids show whether a topic was recreated. Brokers must be
 * 2.8 or newer.
 */
export async function describeTopics(cluster: Cluster, names: readonly string[]): Promise<ClusterMetadata> {
  const broker = await anyBroker(cluster)
  const topics = names.map(name => Buffer.concat([Buffer.alloc(16), compactString(name), Buffer.from([0])]))
  // The request's fields: header tags, topics, no automatic creation, no authorized operations, tags.
  const body = Buffer.concat([Buffer.from([0]), varint(names.length + 1), ...topics, Buffer.from([0, 0, 0])])
  return exchange(broker, { key: 3, version: 12, name: 'Metadata' }, body, data => {
    data.tags()
    data.int32()
    const brokers = data.compactArray(() => {
      const one = { id: data.int32(), host: data.compactString()!, port: data.int32() }
      data.compactString()
      data.tags()
      return one
    })
    const clusterId = data.compactString() ?? ''
    data.int32()
    const found = data.compactArray(() => {
      const error = data.int16()
      const name = data.compactString() ?? ''
      const id = data.bytes(16).toString('hex')
      data.int8()
      const partitions = data.compactArray(() => {
        data.int16()
        const [partition, leader] = [data.int32(), data.int32()]
        data.int32()
        const replicas = data.compactArray(data.int32).length
        data.compactArray(data.int32)
        data.compactArray(data.int32)
        data.tags()
        return { partition, leader, replicas }
      })
      data.int32()
      data.tags()
      return { name, id: error === unknownTopic ? null : id, partitions }
    })
    return { clusterId, brokers, topics: found }
  })
}

/** Bytes by topic and partition. */
export async function sizesOnDisk(
  broker: Broker,
): Promise<readonly { readonly topic: string; readonly partition: number; readonly bytes: number }[]> {
  return exchange(broker, { key: 35, version: 1, name: 'DescribeLogDirs' }, int32(-1), data => {
    data.int32()
    return data
      .array(() => {
        data.int16()
        data.string()
        return data.array(() => {
          const topic = data.string()
          return data.array(() => {
            const size = { topic, partition: data.int32(), bytes: data.int64() }
            data.int64()
            data.int8()
            return size
          })
        })
      })
      .flat(2)
  })
}

const transactionCoordinator = 1

/** Aborts the last owner's open transaction, and fences that owner. Rejects with CONCURRENT_TRANSACTIONS until the abort is complete. */
export async function takeTransactionalId(cluster: Cluster, transactionalId: string, transactionTimeoutMs: number): Promise<void> {
  const coordinator = await (cluster as unknown as ClusterInternals).findGroupCoordinator({
    groupId: transactionalId,
    coordinatorType: transactionCoordinator,
  })
  await (coordinator as unknown as BrokerInternals).initProducerId({ transactionalId, transactionTimeout: transactionTimeoutMs })
}

const groupCoordinator = 0
/** Names of error codes of OffsetFetch. Any other code gets the name `error` with the code. */
const offsetErrors: Readonly<Record<number, string>> = {
  14: 'GROUP_LOAD_IN_PROGRESS',
  15: 'GROUP_COORDINATOR_NOT_AVAILABLE',
  16: 'NOT_COORDINATOR_FOR_GROUP',
  29: 'TOPIC_AUTHORIZATION_FAILED',
  30: 'GROUP_AUTHORIZATION_FAILED',
  88: 'UNSTABLE_OFFSET_COMMIT',
}

export interface StableOffset {
  readonly topic: string
  readonly partition: number
  /** -1 if nothing is committed. */
  readonly offset: number
  readonly metadata: string
}

/**
 * Reads a group's offsets with OffsetFetch version 7, which returns only stable offsets. While a transaction commits the offset, the broker
 * rejects the request with UNSTABLE_OFFSET_COMMIT. kafkajs's own request would return the old offset, even after the commit was
 * acknowledged.
 */
export async function stableOffsets(
  cluster: Cluster,
  groupId: string,
  topics: readonly { readonly name: string; readonly partitions: number }[],
): Promise<readonly StableOffset[]> {
  const coordinator = await (cluster as unknown as ClusterInternals).findGroupCoordinator({ groupId, coordinatorType: groupCoordinator })
  const wanted = topics.map(({ name, partitions }) =>
    Buffer.concat([
      compactString(name),
      varint(partitions + 1),
      ...Array.from({ length: partitions }, (_, partition) => int32(partition)),
      Buffer.from([0]),
    ]),
  )
  // The fields of the request, in order: header tags, group, topics, the flag that requires stable offsets, tags.
  const body = Buffer.concat([Buffer.from([0]), compactString(groupId), varint(wanted.length + 1), ...wanted, Buffer.from([1, 0])])
  return exchange(coordinator, { key: 9, version: 7, name: 'OffsetFetch' }, body, data => {
    data.tags()
    data.int32()
    const found = data.compactArray(() => {
      const topic = data.compactString() ?? ''
      const offsets = data.compactArray(() => {
        const [partition, offset] = [data.int32(), data.int64()]
        data.int32()
        const metadata = data.compactString() ?? ''
        refuseError(data.int16(), `${topic}/${partition}`)
        data.tags()
        return { topic, partition, offset, metadata }
      })
      data.tags()
      return offsets
    })
    refuseError(data.int16(), groupId)
    return found.flat()
  })
}

function refuseError(code: number, of: string): void {
  if (code === 0) return
  const type = offsetErrors[code] ?? `error ${code}`
  throw Object.assign(new Error(`${type} for the offsets of ${of}`), { name: 'KafkaJSProtocolError', type, code })
}

async function anyBroker(cluster: Cluster): Promise<Broker> {
  await cluster.connect()
  await cluster.refreshMetadataIfNecessary()
  let last: unknown
  for (const nodeId of cluster.getNodeIds()) {
    try {
      return await cluster.findBroker({ nodeId: String(nodeId) })
    } catch (error) {
      last = error
    }
  }
  throw last ?? new Error('The cluster lists no broker.')
}
