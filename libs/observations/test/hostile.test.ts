import { readNativeBlock } from '@svc-server/column-store/native'
import { type AnyValue, encodeTraceRequest, type KeyValue, sized } from '@svc-server/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createChunkEncoder } from '../src/block/chunk-encoder.ts'
import { knownKeys } from './known-keys.ts'
import { batchOf, type Mapping, openMapping, recordOf, requestOf } from './mapped-rows.ts'

let mapping: Mapping
beforeAll(async () => {
  mapping = await openMapping()
})
afterAll(() => mapping.close())

const mapList = (list: readonly KeyValue[]) => mapping.row(requestOf({}, { span: { attributes: list } }))

/** Encodes a field of wire type 2. */
const field = (number: number, content: Buffer): Buffer => {
  const length: number[] = []
  let rest = content.length
  for (; rest > 0x7f; rest >>= 7) length.push((rest & 0x7f) | 0x80)
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length, rest]), content])
}
const ids = Buffer.from('0a100af7651916cd43dd8448eb211c80319c1208b7ad6b7169203331', 'hex')
/** Builds the request from bytes, because an encoder would refuse or correct these messages. */
const rawRequest = (keyValues: readonly Buffer[]) =>
  field(1, field(2, field(2, Buffer.concat([ids, ...keyValues.map(content => field(9, content))]))))
const keyed = (key: string, value: Buffer) => Buffer.concat([field(1, Buffer.from(key)), field(2, value)])

const nested = (depth: number, wrap: (inner: Buffer) => Buffer): Buffer => {
  let value = field(1, Buffer.from('deep'))
  for (let level = 0; level < depth; level++) value = wrap(value)
  return value
}
const inList = (inner: Buffer) => field(5, field(1, inner))
const inMap = (inner: Buffer) => field(6, field(1, keyed('k', inner)))
const mapRaw = (...keyValues: readonly Buffer[]) =>
  mapping.rows(createChunkEncoder().encode([recordOf(batchOf(rawRequest(keyValues)))]))[0]!.metadata

test('stores all of 10,000 attributes', () => {
  const { metadata } = mapList(Array.from({ length: 10_000 }, (_, i) => ({ key: `key-${i}`, value: { intValue: i } })))
  expect(Object.keys(metadata).length).toBe(10_000)
  expect(metadata['attributes.key-9999']).toEqual(['9999', 1])
})

test('maps 100,000 experiment keys without comparing each with all others', () => {
  const attributes = Array.from({ length: 100_000 }, (_, i) => ({ key: `svc.experiment.metadata.k${i}`, value: { stringValue: 'v' } }))
  const [row] = readNativeBlock(
    createChunkEncoder().encode([recordOf(batchOf(encodeTraceRequest(requestOf({}, { span: { attributes } }))))]).body,
  )
  expect((row!['experiment_metadata_names'] as string[]).length).toBe(100_000)
})

test('a text of 20 MB reaches its column unchanged in every dialect', () => {
  const big = 'ä"\\\n'.repeat(4 << 20)
  for (const key of ['svc.observation.input', 'input.value', 'gen_ai.prompt', 'gen_ai.input.messages', 'prompt'] as const) {
    const request = requestOf({ [key]: big })
    const chunk = createChunkEncoder().encode([recordOf(batchOf(encodeTraceRequest(request)))])
    const [row] = readNativeBlock(chunk.body)
    expect(row!['input'] === big, key).toBe(true)
  }
})

test('accepts 100 nested lists or maps, and rejects a span with 101, but not its siblings', () => {
  expect(mapRaw(keyed('l', nested(100, inList)))).toEqual({ 'attributes.l': [`${'['.repeat(100)}"deep"${']'.repeat(100)}`, 3] })
  expect(mapRaw(keyed('m', nested(100, inMap)))).toEqual({ [`attributes.m${'.k'.repeat(100)}`]: ['deep', 0] })
  const tooDeep = rawRequest([keyed('l', nested(101, inList))])
  const chunk = createChunkEncoder().encode([recordOf(batchOf(Buffer.concat([tooDeep, encodeTraceRequest(requestOf({}))])))])
  expect(chunk.rows).toBe(1)
  expect(chunk.rejected).toMatchObject([{ index: 0, reason: 'too_deep' }])
})

describe('JSON of the user', () => {
  const carrier = (text: string) =>
    mapping.row(requestOf({ 'svc.observation.metadata': text, 'svc.observation.metadata.dotted': text })).metadata

  test.each([
    ['200 levels of lists', '['.repeat(200) + ']'.repeat(200)],
    ['200 levels of objects', `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`],
    ['1,000 levels', '['.repeat(1000) + ']'.repeat(1000)],
  ])('%s stay one leaf', (_, text) => {
    expect(carrier(text)).toEqual({ 'attributes.svc.observation.metadata': [text, 0], dotted: [text, 3] })
  })

  // A parsed JSON value can be serialized only up to a depth that depends on the remaining stack. This depth differs between threads.
  test.each([1001, 4457, 17_722, 100_000])('%i levels stay text', levels => {
    const text = '['.repeat(levels) + ']'.repeat(levels)
    expect(carrier(text)).toEqual({ 'attributes.svc.observation.metadata': [text, 0], dotted: [text, 0] })
  })

  test('a long key above many leaves does not grow quadratically', () => {
    const text = JSON.stringify({ ['k'.repeat(5000)]: Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [i, 1])) })
    expect(carrier(text)['dotted']).toEqual([text, 3])
  })

  test.each(['constructor', '__proto__', 'toString', 'a.b', '', ' ', 'ключ', '🙂'])('treats %o as an ordinary name', name => {
    expect(carrier(JSON.stringify({ x: 0 }).replace('x', name))[name]).toEqual(['0', 1])
    expect(mapList([{ key: name, value: { stringValue: 'v' } }]).metadata[`attributes.${name}`]).toEqual(['v', 0])
  })
})

test('a long key above many map entries stays one JSON leaf', () => {
  const values = Array.from({ length: 1000 }, (_, i) => ({ key: String(i), value: { intValue: i } }))
  const { metadata } = mapList([
    { key: 'm', value: { kvlistValue: { values: [{ key: 'k'.repeat(5000), value: { kvlistValue: { values } } }] } } },
  ])
  expect(Object.keys(metadata)).toEqual(['attributes.m'])
  expect(metadata['attributes.m']![1]).toBe(3)
})

test('stores invalid UTF-8 as U+FFFD and counts it', () => {
  const request = Buffer.from(encodeTraceRequest(requestOf({ 'user.id': 'bad-id', badkey: 'v', list: ['badelement'] })))
  for (const text of ['bad-id', 'badkey', 'badelement']) request[request.indexOf(text) + 1] = 0xff
  const chunk = createChunkEncoder().encode([recordOf(batchOf(request))])
  expect(chunk.repairedTexts).toBe(4)
  expect(mapping.rows(chunk)[0]).toMatchObject({
    user_id: 'b\ufffdd-id',
    metadata: {
      'attributes.user.id': ['b\ufffdd-id', 0],
      'attributes.b\ufffddkey': ['v', 0],
      'attributes.list': ['["b\ufffddelement"]', 3],
    },
  })
})

test('reads attributes with a missing or repeated key or value, and with unknown fields between', () => {
  const text = (value: string) => field(1, Buffer.from(value))
  const one = Buffer.from('1801', 'hex')
  const unknown = Buffer.from('980601a10600000000000000009a0601789d0600000000', 'hex')
  const metadata = mapRaw(
    Buffer.alloc(0),
    field(1, Buffer.from('a')),
    field(2, text('x')),
    Buffer.concat([keyed('b', text('lost')), keyed('c', one)]),
    Buffer.concat([unknown, keyed('d', Buffer.concat([one, unknown, text('y')])), unknown]),
  )
  expect(metadata).toEqual({
    'attributes.a': ['', 4],
    'attributes.': ['x', 0],
    'attributes.c': ['1', 1],
    'attributes.d': ['y', 0],
  })
})

test('any value under any key yields one row and no exception', () => {
  const scalar = fc.oneof(
    fc.record({
      stringValue: fc.oneof(fc.string({ unit: 'binary' }), fc.json(), fc.constantFrom('', '[', '{}', '{"a":{"b":[1]}}', 'true', '1e999')),
    }),
    fc.record({ intValue: fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n) }),
    fc.record({ doubleValue: fc.double() }),
    fc.record({ boolValue: fc.boolean() }),
    fc.record({ bytesValue: fc.uint8Array() }),
    fc.constant({}),
  )
  const { value } = fc.letrec<{ value: AnyValue }>(tie => ({
    value: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      scalar,
      fc.record({ arrayValue: fc.record({ values: fc.array(tie('value'), { maxLength: 4 }) }) }),
      fc.record({ kvlistValue: fc.record({ values: fc.array(fc.record({ key: fc.string(), value: tie('value') }), { maxLength: 4 }) }) }),
    ),
  }))
  const key = fc.oneof(
    fc.constantFrom(...knownKeys),
    fc.constantFrom('svc.metadata.x', 'svc.trace.metadata.scope', 'gen_ai.request.stop', 'svc.observation.metadata.'),
    fc.string({ unit: 'binary' }),
  )
  const encoder = createChunkEncoder()
  fc.assert(
    fc.property(
      fc.array(fc.record({ key, value }), { maxLength: 12 }),
      fc.constantFrom('4.0.0', '5.0.0'),
      fc.constantFrom('', 'svc-sdk'),
      (list, sdkVersion, name) => {
        const request = requestOf({}, { span: { attributes: list }, resource: {}, scope: { name, attributes: list } })
        const batch = batchOf(encodeTraceRequest(request), { sdkName: 'python', sdkVersion })
        const chunk = encoder.encode([recordOf(batch)])
        expect(chunk.rejected).toEqual([])
        expect(chunk.rows).toBe(1)
        const again = createChunkEncoder().encode([recordOf(batch)])
        expect(again.hash).toBe(chunk.hash)
        expect(mapping.rows(chunk).length).toBe(1)
      },
    ),
    { numRuns: sized(100, 40) },
  )
})

test('random bytes never cause an exception, and every span is accounted for', () => {
  const encoder = createChunkEncoder()
  const valid = Buffer.from(
    encodeTraceRequest(requestOf({ 'user.id': 'u', list: ['a'], n: 1 }, { resource: { r: 'x' }, scope: { name: 's' } })),
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(valid.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 }), flips => {
      const bytes = Buffer.from(valid)
      for (const [at, byte] of flips) bytes[at] = byte
      const chunk = encoder.encode([recordOf(batchOf(bytes))])
      const whole = chunk.rejected.some(({ index }) => index === null)
      expect(chunk.spans).toBe(whole ? 0 : chunk.rows + chunk.rejected.length)
    }),
    { numRuns: sized(3000, 600) },
  )
})

test('each known key is declared once', () => {
  expect(new Set(knownKeys).size).toBe(knownKeys.length)
})
