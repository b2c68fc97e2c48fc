import { writeModes } from '@svc-server/modes/write-mode'
import avsc from 'avsc'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Command, commandKey, commandKinds, decodeCommand, encodeCommand } from '../command.ts'
import { decodeIngestionEvent, encodeIngestionEvent, entityKey, type IngestionEvent } from '../ingestion-event.ts'
import { decodeRunItem, encodeRunItem, type RunItem, runItemKey } from '../run-item.ts'
import { decodeScoreEvent, encodeScoreEvent, type ScoreEvent, scoreKey } from '../score-event.ts'
import { commandSchema } from './command-record.ts'
import { ingestionEventSchema, scoreEventSchema } from './records.ts'
import { runItemSchema } from './run-item-record.ts'
import type { AvroRecord } from './schema.ts'
import { UndecodableRecord } from './undecodable-record.ts'

const text = fc.string({ unit: 'grapheme' })
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null })
const safe = fc.integer({ min: -(2 ** 51), max: 2 ** 51 })
const accepted = {
  projectId: text,
  apiKey: text,
  sdkName: text,
  sdkVersion: text,
  writeMode: optional(fc.constantFrom(...writeModes)),
  receivedAtMs: safe,
  ingestId: text,
}
const ingestionEvent: fc.Arbitrary<IngestionEvent> = fc.record({
  ...accepted,
  entityType: fc.constantFrom('trace', 'observation'),
  entityId: text,
  eventType: text,
  eventId: text,
  timestampUs: safe,
  body: fc.uint8Array({ maxLength: 2000 }).map(bytes => Buffer.from(bytes)),
})
const scoreEvent: fc.Arbitrary<ScoreEvent> = fc.record({
  ...accepted,
  deleted: fc.boolean(),
  id: text,
  name: text,
  source: fc.constantFrom('API', 'EVAL', 'ANNOTATION'),
  dataType: fc.constantFrom('NUMERIC', 'CATEGORICAL', 'BOOLEAN', 'CORRECTION', 'TEXT'),
  value: fc.double(),
  stringValue: optional(text),
  longStringValue: text,
  timestampUs: safe,
  traceId: optional(text),
  observationId: optional(text),
  sessionId: optional(text),
  datasetRunId: optional(text),
  environment: text,
  comment: optional(text),
  metadata: optional(text),
  configId: optional(text),
  queueId: optional(text),
  authorUserId: optional(text),
  executionTraceId: optional(text),
})

const runItem: fc.Arbitrary<RunItem> = fc.record({
  ...accepted,
  deleted: fc.boolean(),
  id: text,
  datasetId: text,
  datasetRunId: text,
  datasetRunName: text,
  datasetRunDescription: optional(text),
  datasetRunMetadata: optional(text),
  datasetRunCreatedAtMs: safe,
  datasetItemId: text,
  datasetItemVersionMs: optional(safe),
  datasetItemInput: optional(text),
  datasetItemExpectedOutput: optional(text),
  datasetItemMetadata: optional(text),
  traceId: text,
  observationId: optional(text),
  error: optional(text),
  createdAtMs: safe,
})

const command: fc.Arbitrary<Command> = fc.record({
  projectId: text,
  kind: fc.constantFrom(...commandKinds),
  traceId: optional(text),
  value: optional(fc.boolean()),
  acceptedAtMs: safe,
  writeMode: accepted.writeMode,
})

const library = (schema: AvroRecord) => avsc.Type.forSchema(schema as unknown as avsc.Schema, { wrapUnions: false })

test('every event round-trips, and another Avro implementation writes the same bytes', () => {
  const type = library(ingestionEventSchema)
  fc.assert(
    fc.property(ingestionEvent, event => {
      const bytes = encodeIngestionEvent(event)
      expect(decodeIngestionEvent(bytes)).toEqual(event)
      expect(bytes.subarray(10).equals(type.toBuffer(event))).toBe(true)
    }),
  )
})

test('every score round-trips, its value to the last bit, and another Avro implementation writes the same bytes', () => {
  const type = library(scoreEventSchema)
  fc.assert(
    fc.property(scoreEvent, score => {
      const bytes = encodeScoreEvent(score)
      expect(decodeScoreEvent(bytes)).toEqual(score)
      expect(bytes.subarray(10).equals(type.toBuffer(score))).toBe(true)
    }),
  )
})

test('every run item round-trips, and another Avro implementation writes the same bytes', () => {
  const type = library(runItemSchema)
  fc.assert(
    fc.property(runItem, item => {
      const bytes = encodeRunItem(item)
      expect(decodeRunItem(bytes)).toEqual(item)
      expect(bytes.subarray(10).equals(type.toBuffer(item))).toBe(true)
    }),
  )
})

test('every command round-trips, and another Avro implementation writes the same bytes', () => {
  const type = library(commandSchema)
  fc.assert(
    fc.property(command, sent => {
      const bytes = encodeCommand(sent)
      expect(decodeCommand(bytes)).toEqual(sent)
      expect(bytes.subarray(10).equals(type.toBuffer(sent))).toBe(true)
    }),
  )
})

test('a command of a kind that a newer release added decodes as null and is not reported as damaged', () => {
  const newer = { projectId: 'p', kind: 'rename_trace', traceId: 't', value: null, acceptedAtMs: 1 }
  expect(decodeCommand(encodeCommand(newer as unknown as Command))).toBe(null)
})

test('a record cut off at any byte is undecodable and never decodes to other values', () => {
  fc.assert(
    fc.property(scoreEvent, fc.nat(), (score, cut) => {
      const bytes = encodeScoreEvent(score)
      expect(() => decodeScoreEvent(bytes.subarray(0, cut % bytes.length))).toThrow(UndecodableRecord)
    }),
  )
})

test('records that belong together have one key', () => {
  expect(entityKey({ projectId: 'p', entityType: 'trace', entityId: 't/1' })).toBe('p/trace/t/1')
  expect(scoreKey({ projectId: 'p', id: 's' })).toBe('p/s')
  expect(runItemKey({ projectId: 'p', id: 'r' })).toBe('p/r')
  expect(commandKey({ projectId: 'p', kind: 'delete_trace', traceId: 't/1' })).toBe('p/delete_trace/t/1')
  expect(commandKey({ projectId: 'p', kind: 'delete_project', traceId: null })).toBe('p/delete_project/')
})
