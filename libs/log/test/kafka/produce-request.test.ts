// Compares the produce requests of kafkajs's patched encoder with the requests of a plain implementation. The patched encoder must yield
// the same bytes and must not copy a large value.
import { createRequire } from 'node:module'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import kafkajs, { type Message } from 'kafkajs'
import { afterEach, expect, test, vi } from 'vitest'

interface Encoder {
  readonly buffer: Buffer
  readonly buffers: readonly Buffer[]
  size(): number
}
interface ProduceOptions {
  readonly acks: number
  readonly timeout: number
  readonly transactionalId: string | null
  readonly producerId: number
  readonly producerEpoch: number
  readonly compression?: number
  readonly topicData: readonly {
    readonly topic: string
    readonly partitions: readonly { readonly partition: number; readonly firstSequence: number; readonly messages: readonly Message[] }[]
  }[]
}

const require = createRequire(import.meta.url)
const createRequest = require('kafkajs/src/protocol/request') as (what: {
  correlationId: number
  clientId: string
  request: unknown
}) => Promise<Encoder>
const produce = require('kafkajs/src/protocol/requests/produce/v7/request') as (options: ProduceOptions) => unknown
const crc32C = require('kafkajs/src/protocol/recordBatch/crc32C/crc32C') as (bytes: Buffer) => number

const now = 1_790_000_000_000
afterEach(() => void vi.restoreAllMocks())

const encode = (options: ProduceOptions): Promise<Encoder> => {
  vi.spyOn(Date, 'now').mockReturnValue(now)
  return createRequest({ correlationId: 7, clientId: 'svc', request: produce(options) })
}

const int = (bytes: 1 | 2 | 4, value: number): Buffer => {
  const buffer = Buffer.alloc(bytes)
  buffer.writeIntBE(value, 0, bytes)
  return buffer
}
const int64 = (value: number): Buffer => {
  const buffer = Buffer.alloc(8)
  buffer.writeBigInt64BE(BigInt(value))
  return buffer
}
const varint = (value: number): Buffer => {
  const bytes: number[] = []
  let left = BigInt.asUintN(64, (BigInt(value) << 1n) ^ (BigInt(value) >> 63n))
  for (; left >= 0x80n; left >>= 7n) bytes.push(Number(left & 0x7fn) | 0x80)
  return Buffer.from([...bytes, Number(left)])
}
const sized = (value: Buffer | string | null | undefined): Buffer =>
  value == null ? varint(-1) : Buffer.concat([varint(Buffer.byteLength(value)), Buffer.from(value as string)])
const string = (text: string | null): Buffer =>
  text === null ? int(2, -1) : Buffer.concat([int(2, Buffer.byteLength(text)), Buffer.from(text)])
const array = (items: readonly Buffer[]): Buffer => Buffer.concat([int(4, items.length), ...items])

function expected({ acks, timeout, transactionalId, producerId, producerEpoch, topicData }: ProduceOptions): Buffer {
  const record = ({ key, value, headers = {}, timestamp }: Message, offset: number, firstTimestamp: number): Buffer => {
    const entries = Object.entries(headers).flatMap(([name, one]) => [one].flat().map(item => [name, item] as const))
    const fields = [int(1, 0), varint(Number(timestamp ?? now) - firstTimestamp), varint(offset), sized(key), sized(value)]
    const body = Buffer.concat([...fields, varint(entries.length), ...entries.flatMap(([name, item]) => [sized(name), sized(item)])])
    return Buffer.concat([varint(body.length), body])
  }
  const batch = (messages: readonly Message[], firstSequence: number): Buffer => {
    const given = messages.flatMap(({ timestamp }) => (timestamp === undefined ? [] : [Number(timestamp)]))
    const times = given.length > 0 ? given : [now]
    const [first, last] = [Math.min(...times), Math.max(...times)]
    const attributes = int(2, transactionalId === null ? 0 : 16)
    const producer = [int64(producerId), int(2, producerEpoch), int(4, firstSequence)]
    const records = array(messages.map((message, i) => record(message, i, first)))
    const body = Buffer.concat([attributes, int(4, messages.length - 1), int64(first), int64(last), ...producer, records])
    const rest = Buffer.concat([int(4, 0), int(1, 2), int(4, crc32C(body) | 0), body])
    return Buffer.concat([int64(0), int(4, rest.length), rest])
  }
  const topics = topicData.map(({ topic, partitions }) => {
    const batches = partitions.map(({ partition, messages, firstSequence }) => {
      const bytes = batch(messages, firstSequence)
      return Buffer.concat([int(4, partition), int(4, bytes.length), bytes])
    })
    return Buffer.concat([string(topic), array(batches)])
  })
  const head = [int(2, 0), int(2, 7), int(4, 7), string('svc')]
  const request = Buffer.concat([...head, string(transactionalId), int(2, acks), int(4, timeout), array(topics)])
  return Buffer.concat([int(4, request.length), request])
}

const noise = Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * i * 31 + i) >> 3))
/** The encoder copies arrays below about 2 KB and does not copy larger arrays. Many of the test's arrays are therefore close to 2 KB. */
const bytes = fc
  .tuple(fc.oneof(fc.nat(64), fc.integer({ min: 1990, max: 2060 }), fc.nat(60_000)), fc.nat(10_000))
  .map(([length, from]) => noise.subarray(from, from + length))
const field = fc.oneof(fc.constant(null), bytes, fc.string({ unit: 'binary', maxLength: 3000, size: 'max' }))
const message: fc.Arbitrary<Message> = fc.record(
  {
    key: field,
    value: field,
    headers: fc.dictionary(fc.string(), fc.oneof(bytes, fc.string(), fc.array(bytes, { maxLength: 3 })), { maxKeys: 4 }),
    timestamp: fc.integer({ min: now - 1e9, max: now + 1e9 }).map(String),
  },
  { requiredKeys: ['value'] },
)
const options = fc.record({
  acks: fc.constantFrom(-1, 1),
  timeout: fc.nat(60_000),
  transactionalId: fc.option(fc.string({ minLength: 1 })),
  producerId: fc.nat(2 ** 40),
  producerEpoch: fc.nat(2 ** 15 - 1),
  topicData: fc.array(
    fc.record({
      topic: fc.string({ minLength: 1 }),
      partitions: fc.array(
        fc.record({ partition: fc.nat(100), firstSequence: fc.nat(), messages: fc.array(message, { minLength: 1, maxLength: 12 }) }),
        { minLength: 1, maxLength: 3 },
      ),
    }),
    { minLength: 1, maxLength: 2 },
  ),
})

test('property: a produce request has the bytes of the protocol', () =>
  fc.assert(
    fc.asyncProperty(options, async given => {
      const [request, bytes] = [await encode(given), expected(given)]
      expect(Buffer.concat(request.buffers).equals(bytes)).toBe(true)
      expect(request.buffer.equals(bytes)).toBe(true)
      expect(request.size()).toBe(bytes.length)
    }),
    { numRuns: 200 },
  ))

const one = (...messages: readonly Message[]): ProduceOptions => ({
  acks: -1,
  timeout: 1000,
  transactionalId: null,
  producerId: 1,
  producerEpoch: 0,
  topicData: [{ topic: 'spans', partitions: [{ partition: 0, firstSequence: 0, messages }] }],
})

test('large values are sent without a copy, and no buffer of similar size is allocated', async () => {
  const values: Buffer[] = [noise.subarray(0, 60_000), noise.subarray(5, 30_000)]
  const { buffers } = await encode(one({ value: values[0]! }, { key: 'small', value: values[1]! }))
  for (const value of values) expect(buffers).toContain(value)
  expect(buffers.filter(buffer => !values.includes(buffer)).every(({ length }) => length < 200)).toBe(true)
})

test('a codec gets all records in one buffer', async () => {
  const given = one({ value: noise.subarray(0, 9000) }, { value: noise.subarray(3, 50) })
  const { buffer } = await encode({ ...given, compression: kafkajs.CompressionTypes.GZIP })
  const recordsAt = expected(one()).length
  expect(gunzipSync(buffer.subarray(recordsAt)).equals(expected(given).subarray(recordsAt))).toBe(true)
})
