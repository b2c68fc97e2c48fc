import avsc from 'avsc'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AvroCursor } from '../src/avro/cursor.ts'
import { canonicalForm, crc64Avro, fingerprintOf, fingerprintText } from '../src/avro/fingerprint.ts'
import { createRecordCodec } from '../src/avro/record-codec.ts'
import { deadLetterSchema, spanBatchSchema } from '../src/avro/records.ts'
import type { AvroRecord, AvroSchema } from '../src/avro/schema.ts'
import { AvroSink } from '../src/avro/sink.ts'
import { UndecodableRecord } from '../src/avro/undecodable-record.ts'
import { type DeadLetter, decodeDeadLetter, encodeDeadLetter } from '../src/dead-letter.ts'
import { decodeSpanBatch, encodeSpanBatch, type SpanBatch } from '../src/span-batch.ts'
import { spanBatch } from './span-batches.ts'

const text = fc.string({ unit: 'binary' })
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null })

const deadLetter: fc.Arbitrary<DeadLetter> = fc.record({
  id: text,
  stage: text,
  reason: text,
  message: text,
  projectId: optional(text),
  topic: text,
  partition: fc.nat(),
  offset: fc.maxSafeNat(),
  index: optional(fc.nat()),
  raw: fc.uint8Array(),
  atMs: fc.maxSafeNat(),
})

// A string with a lone surrogate has no UTF-8 form. All other strings must stay unchanged.
const wellFormed = <T>(value: T) => JSON.parse(JSON.stringify(value, (_, v) => (typeof v === 'string' ? v.toWellFormed() : v))) as T
const comparable = ({ payload, ...batch }: SpanBatch) => ({ ...wellFormed(batch), payload: [...payload] })

test('every span batch round-trips', () => {
  fc.assert(
    fc.property(spanBatch, batch => {
      expect(comparable(decodeSpanBatch(encodeSpanBatch(batch)))).toEqual(comparable(batch))
    }),
  )
})

test('every dead letter round-trips', () => {
  fc.assert(
    fc.property(deadLetter, letter => {
      const { raw, ...rest } = decodeDeadLetter(encodeDeadLetter(letter))
      expect({ ...rest, raw: [...raw] }).toEqual({ ...wellFormed({ ...letter, raw: undefined }), raw: [...letter.raw] })
    }),
  )
})

// An independent Avro library must read the bytes of our codec. Our codec must read the bytes of the library.
const library = (schema: AvroRecord) => avsc.Type.forSchema(schema as unknown as avsc.Schema, { wrapUnions: false })
const nulls = {
  name: null,
  userId: null,
  sessionId: null,
  tags: null,
  release: null,
  version: null,
  environment: null,
  public: null,
  metadata: null,
}

test('another Avro implementation reads and writes the same bytes', () => {
  const type = library(spanBatchSchema)
  // The library `avsc` encodes numbers beyond 2^52 wrongly: the result is off by one.
  const exact = { receivedAtMs: fc.integer({ min: -(2 ** 52), max: 2 ** 52 }), decodedBytes: fc.nat({ max: 2 ** 52 }) }
  fc.assert(
    fc.property(spanBatch, fc.record(exact), (any, numbers) => {
      const batch = { ...any, ...numbers }
      const full = wellFormed({ ...batch, payload: null, traceAttributes: batch.traceAttributes && { ...nulls, ...batch.traceAttributes } })
      const theirs = { ...full, payload: Buffer.from(batch.payload) }
      const ours = encodeSpanBatch({ ...wellFormed({ ...batch, payload: null }), payload: batch.payload } as unknown as SpanBatch)
      const body = ours.subarray(10)
      expect(body.equals(type.toBuffer(theirs))).toBe(true)
      expect(type.isValid(type.fromBuffer(body))).toBe(true)
    }),
  )
})

test('the canonical form equals that of another Avro implementation', () => {
  for (const schema of [spanBatchSchema, deadLetterSchema]) {
    const theirs = JSON.stringify(library(schema).schema())
    expect(JSON.parse(canonicalForm(schema))).toEqual(JSON.parse(theirs))
  }
})

test("computes the fingerprints of the Avro project's test data", () => {
  expect(crc64Avro(new Uint8Array(0))).toBe(0xc15d213aa4d7a795n)
  // These values come from the schema test data of the Avro project.
  expect(fingerprintText(fingerprintOf('null'))).toBe('63dd24e7cc258f8a')
  expect(fingerprintText(fingerprintOf('boolean'))).toBe('9f42fc78a4d4f764')
  expect(fingerprintText(fingerprintOf('int'))).toBe('7275d51a3f395c8f')
  expect(fingerprintText(fingerprintOf('string'))).toBe('8f014872634503c7')
})

const sample: SpanBatch = {
  projectId: 'p',
  apiKey: 'pk',
  sdkName: 'python',
  sdkVersion: '5.0.4',
  ingestionVersion: 4,
  receivedAtMs: 1_795_000_000_000,
  ingestId: 'i',
  contentEncoding: 'gzip',
  decodedBytes: 4000,
  spanCount: 1,
  payload: Buffer.from('payload'),
  traceAttributes: { tags: ['a', 'b'], public: false },
}

test('the payload is a view of the record, whatever type holds the record', () => {
  const record = encodeSpanBatch({ ...sample, payload: Buffer.alloc(100_000, 7) })
  const shifted = new Uint8Array(record.length + 3)
  shifted.set(record, 3)
  for (const bytes of [record, shifted.subarray(3)]) {
    const { payload } = decodeSpanBatch(bytes)
    expect(payload.buffer).toBe(bytes.buffer)
    expect(payload).toHaveLength(100_000)
  }
})

test('an encoded record has no unused bytes', () => {
  const record = encodeSpanBatch({ ...sample, payload: Buffer.alloc(1_000_000) })
  expect(record.buffer.byteLength).toBe(record.length)
})

const reasonOf = (bytes: Uint8Array) => {
  try {
    decodeSpanBatch(bytes)
    return 'decoded'
  } catch (error) {
    if (!(error instanceof UndecodableRecord)) throw error
    return error.reason
  }
}

test('F17 · bytes other than a record fail with not_a_record', () => {
  expect(reasonOf(new Uint8Array(0))).toBe('not_a_record')
  expect(reasonOf(Buffer.from('{"resourceSpans":[]}'))).toBe('not_a_record')
  expect(reasonOf(encodeSpanBatch(sample).subarray(0, 9))).toBe('not_a_record')
  expect(reasonOf(encodeDeadLetter({ ...fc.sample(deadLetter, 1)[0]! }))).toBe('unknown_fingerprint')
  expect(() => decodeSpanBatch(Buffer.from('c3010807060504030201', 'hex'))).toThrow(/fingerprint 0102030405060708/)
})

test('F17 · a record that is truncated anywhere or has extra bytes is malformed', () => {
  const record = encodeSpanBatch(sample)
  for (let length = 10; length < record.length; length++) expect(reasonOf(record.subarray(0, length))).toBe('malformed')
  expect(reasonOf(Buffer.concat([record, Buffer.alloc(1)]))).toBe('malformed')
})

test('F17 · garbage after a valid header yields an error or a record, never a loop or a huge allocation', () => {
  const header = encodeSpanBatch(sample).subarray(0, 10)
  const bodies = fc.oneof(
    fc.uint8Array({ maxLength: 400 }),
    fc.tuple(fc.nat(encodeSpanBatch(sample).length - 11), fc.uint8Array({ minLength: 1, maxLength: 9 })).map(([at, bytes]) => {
      const body = Buffer.from(encodeSpanBatch(sample).subarray(10))
      body.set(bytes.subarray(0, body.length - at), at)
      return body
    }),
  )
  fc.assert(
    fc.property(bodies, body => {
      expect(['decoded', 'malformed']).toContain(reasonOf(Buffer.concat([header, body])))
    }),
    { numRuns: 2000 },
  )
})

test('a record written into a given buffer has the same bytes, and uses that buffer if it fits', () => {
  fc.assert(
    fc.property(spanBatch, fc.integer({ min: 0, max: 6000 }), (batch, size) => {
      const alone = encodeSpanBatch(batch)
      const room = Buffer.alloc(size + 8, 0x5a)
      const written = encodeSpanBatch(batch, room.subarray(0, size))
      expect(written).toEqual(alone)
      if (written.buffer === room.buffer) expect(written.byteOffset).toBe(room.byteOffset)
      // The sink reserves ten bytes before it writes a number, because a number can have up to ten bytes.
      if (alone.length + 10 <= size) expect(written.buffer).toBe(room.buffer)
      expect(room.subarray(size).every(byte => byte === 0x5a)).toBe(true)
    }),
  )
})

test('integers keep their value up to 2^53, and larger ones are neither written nor read', () => {
  const numbers = fc.oneof(
    fc.maxSafeInteger(),
    fc.constantFrom(-(2 ** 30), 2 ** 30 - 1, 2 ** 30, -1, 0, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER),
  )
  fc.assert(
    fc.property(numbers, value => {
      const sink = new AvroSink(Buffer.alloc(1))
      sink.long(value)
      expect(new AvroCursor(sink.finish(), 0).long()).toBe(value)
    }),
  )
  expect(() => new AvroSink(Buffer.alloc(10)).long(2 ** 53)).toThrow(TypeError)
  expect(() => new AvroCursor(Buffer.alloc(11, 0xff), 0).long()).toThrow(UndecodableRecord)
  expect(() => new AvroCursor(Buffer.from('feffffffffffffffff01', 'hex'), 0).long()).toThrow(UndecodableRecord)
})

test('a value that does not fit its schema is a bug of the caller', () => {
  expect(() => encodeSpanBatch({ ...sample, spanCount: 2 ** 31 })).toThrow(TypeError)
  expect(() => encodeSpanBatch({ ...sample, spanCount: 0.5 })).toThrow(TypeError)
  expect(() => encodeSpanBatch({ ...sample, contentEncoding: 'br' as 'gzip' })).toThrow(TypeError)
  expect(() => encodeSpanBatch({ ...sample, projectId: undefined as unknown as string })).toThrow(TypeError)
})

const record = (...fields: AvroRecord['fields']): AvroRecord => ({ type: 'record', name: 'R', fields })
const throughVersions = (writer: AvroRecord, reader: AvroRecord, value: object) =>
  createRecordCodec<object>(reader, [writer, reader]).decode(createRecordCodec<object>(writer, [writer]).encode(value))

test('a newer reader adds defaults for its new fields, drops removed fields, and widens integers', () => {
  const older = record({ name: 'gone', type: { type: 'array', items: 'string' } }, { name: 'n', type: 'int' })
  const newer = record({ name: 'n', type: 'long' }, { name: 'added', type: ['null', 'string'], default: null })
  expect(throughVersions(older, newer, { gone: ['x', 'y'], n: -5 })).toEqual({ n: -5, added: null })
})

test('a field may become optional', () => {
  const older = record({ name: 'a', type: 'string' })
  const newer = record({ name: 'a', type: ['null', 'string'] })
  expect(throughVersions(older, newer, { a: 'x' })).toEqual({ a: 'x' })
})

test.each<[string, AvroSchema, AvroSchema]>([
  ['string', 'string', 'long'],
  ['long', 'long', 'int'],
  ['optional', ['null', 'string'], 'string'],
])('the codec refuses an unreadable evolution when it is created: %s', (_, from, to) => {
  expect(() => createRecordCodec(record({ name: 'a', type: to }), [record({ name: 'a', type: from })])).toThrow(TypeError)
})

test('a new field without a default is refused', () => {
  expect(() => createRecordCodec(record({ name: 'a', type: 'string' }), [record()])).toThrow('R.a needs a default')
})
