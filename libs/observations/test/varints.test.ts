// A varint can have more bytes than necessary. The fast path reads only the shortest encoding, which exporters usually send. A longer
// varint must give the same row.
import { readNativeBlock } from '@svc-server/column-store/native'
import { expect, test } from 'vitest'
import { createChunkEncoder } from '../src/block/chunk-encoder.ts'
import { batchOf, receivedAtMs, recordOf } from './mapped-rows.ts'

const encoder = createChunkEncoder()

function varint(value: bigint, bytes = 1): Buffer {
  const digits: number[] = []
  for (let rest = BigInt.asUintN(64, value); rest > 0n || digits.length < bytes; rest >>= 7n) digits.push(Number(rest & 0x7fn))
  return Buffer.from(digits.map((digit, at) => (at < digits.length - 1 ? digit | 0x80 : digit)))
}

const field = (number: number, content: Uint8Array, lengthBytes = 1) =>
  Buffer.concat([varint(BigInt((number << 3) | 2)), varint(BigInt(content.length), lengthBytes), content])
const text = (value: string, lengthBytes: number) => field(1, Buffer.from(value), lengthBytes)
const integer = (value: bigint, bytes: number) => Buffer.concat([Buffer.from([0x18]), varint(value, bytes)])

const attribute = (key: string, value: Uint8Array, bytes: number) =>
  field(9, Buffer.concat([field(1, Buffer.from(key), bytes), field(2, value, bytes)]), bytes)

function recordWith(attributes: readonly Uint8Array[], between: Uint8Array = Buffer.alloc(0)): Buffer {
  const time = Buffer.alloc(8)
  time.writeBigUInt64LE(BigInt(receivedAtMs) * 1_000_000n)
  const ids = [field(1, Buffer.alloc(16, 1)), field(2, Buffer.alloc(8, 2)), Buffer.concat([Buffer.from([0x39]), time])]
  const span = Buffer.concat([...ids, ...attributes.flatMap(each => [each, between]), field(5, Buffer.from('a span'))])
  return field(1, field(2, field(2, span)))
}

function rowOf(body: Uint8Array): Record<string, unknown> {
  const { body: block, rejected } = encoder.encode([recordOf(batchOf(body))])
  expect(rejected).toEqual([])
  const { event_bytes: _, ...row } = readNativeBlock(block)[0]!
  return row
}

const long = 'long '.repeat(5000)
const attributes = (bytes: number) => [
  attribute('user.id', text('u-1', bytes), bytes),
  attribute('gen_ai.request.model', text('gpt-4o', bytes), bytes),
  attribute('svc.observation.input', text(long, bytes), bytes),
  attribute('gen_ai.usage.input_tokens', integer(1234n, bytes), bytes),
  attribute('a number', integer(7n, bytes), bytes),
]

test.each([2, 3, 4, 5, 9])('a span gives the same row when its varints have %i bytes', bytes => {
  const row = rowOf(recordWith(attributes(1)))
  expect(row).toMatchObject({ user_id: 'u-1', input: long, provided_model_name: 'gpt-4o' })
  expect(rowOf(recordWith(attributes(bytes)))).toEqual(row)
  expect(rowOf(recordWith(attributes(bytes), field(99, Buffer.from('unknown'))))).toEqual(row)
})

test('an integer keeps its value, however many bytes encode it', () => {
  const limits = [0, 7, 14, 21, 28, 31, 32, 35, 53, 62].map(bits => 1n << BigInt(bits))
  for (const value of [0n, ...limits.flatMap(limit => [limit - 1n, limit, -limit])]) {
    for (const bytes of [1, 2, 3, 4, 5, 10]) {
      const row = rowOf(recordWith([attribute('n', integer(value, bytes), 1)]))
      expect(row['metadata_values'], `${value} in ${bytes} bytes`).toContain(String(value))
    }
  }
})

test('a truncated body yields neither a partial row nor an exception', () => {
  const whole = recordWith(attributes(3))
  for (let end = 0; end < whole.length; end += end < 400 || end > whole.length - 400 ? 1 : 997) {
    const { rows } = encoder.encode([recordOf(batchOf(whole.subarray(0, end)))])
    expect(rows).toBe(0)
  }
})
