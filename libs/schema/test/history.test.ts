import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import avsc from 'avsc'
import { expect, test } from 'vitest'
import { commandSchema } from '../src/avro/command-record.ts'
import { entitySchema } from '../src/avro/entity-record.ts'
import { fingerprintOf, fingerprintText } from '../src/avro/fingerprint.ts'
import {
  commandHistory,
  deadLetterHistory,
  entityHistory,
  ingestionEventHistory,
  ledgerRecordHistory,
  runItemHistory,
  scoreEventHistory,
  sdkUsageHistory,
  spanBatchHistory,
  stagedRunItemHistory,
  traceWindowHistory,
} from '../src/avro/history.ts'
import {
  deadLetterSchema,
  ingestionEventSchema,
  ledgerRecordSchema,
  scoreEventSchema,
  spanBatchSchema,
  traceWindowSchema,
} from '../src/avro/records.ts'
import { runItemSchema } from '../src/avro/run-item-record.ts'
import type { AvroRecord } from '../src/avro/schema.ts'
import { sdkUsageSchema } from '../src/avro/sdk-usage-record.ts'
import { stagedRunItemSchema } from '../src/avro/staged-run-item-record.ts'
import { decodeCommand } from '../src/command.ts'
import { decodeDeadLetter } from '../src/dead-letter.ts'
import { decodeEntity } from '../src/entity.ts'
import { decodeIngestionEvent } from '../src/ingestion-event.ts'
import { decodeLedgerRecord } from '../src/ledger-record.ts'
import { decodeRunItem } from '../src/run-item.ts'
import { decodeScoreEvent } from '../src/score-event.ts'
import { decodeSdkUsage } from '../src/sdk-usage.ts'
import { decodeSpanBatch, encodeSpanBatch } from '../src/span-batch.ts'
import { decodeStagedRunItem } from '../src/staged-run-item.ts'
import { decodeTraceWindow } from '../src/trace-window.ts'

// This folder has a record of each schema version as hex text. Never change one of these files, because records on topics have exactly the
// encoding that the file shows.
const golden = join(import.meta.dirname, 'fixtures')
const schemas = join(import.meta.dirname, '../src/avro/history')

const kinds = [
  { folder: 'span-batch', current: spanBatchSchema, history: spanBatchHistory, decode: decodeSpanBatch as (bytes: Uint8Array) => object },
  {
    folder: 'dead-letter',
    current: deadLetterSchema,
    history: deadLetterHistory,
    decode: decodeDeadLetter as (bytes: Uint8Array) => object,
  },
  {
    folder: 'trace-window',
    current: traceWindowSchema,
    history: traceWindowHistory,
    decode: decodeTraceWindow as (bytes: Uint8Array) => object,
  },
  {
    folder: 'ledger-record',
    current: ledgerRecordSchema,
    history: ledgerRecordHistory,
    decode: decodeLedgerRecord as (bytes: Uint8Array) => object,
  },
  {
    folder: 'ingestion-event',
    current: ingestionEventSchema,
    history: ingestionEventHistory,
    decode: decodeIngestionEvent as (bytes: Uint8Array) => object,
  },
  {
    folder: 'score-event',
    current: scoreEventSchema,
    history: scoreEventHistory,
    decode: decodeScoreEvent as (bytes: Uint8Array) => object,
  },
  { folder: 'entity', current: entitySchema, history: entityHistory, decode: decodeEntity as (bytes: Uint8Array) => object },
  { folder: 'run-item', current: runItemSchema, history: runItemHistory, decode: decodeRunItem as (bytes: Uint8Array) => object },
  {
    folder: 'staged-run-item',
    current: stagedRunItemSchema,
    history: stagedRunItemHistory,
    decode: decodeStagedRunItem as (bytes: Uint8Array) => object,
  },
  { folder: 'sdk-usage', current: sdkUsageSchema, history: sdkUsageHistory, decode: decodeSdkUsage as (bytes: Uint8Array) => object },
  { folder: 'command', current: commandSchema, history: commandHistory, decode: decodeCommand as (bytes: Uint8Array) => object },
]

const readSchema = (folder: string, file: string) => JSON.parse(readFileSync(join(schemas, folder, file), 'utf8')) as AvroRecord
const files = (path: string, extension: string) => readdirSync(path).filter(name => name.endsWith(extension))

test.each(kinds)('$folder: the current schema is the newest version of its history', ({ folder, current, history }) => {
  const next = history.length + 1
  expect(
    fingerprintText(fingerprintOf(history.at(-1)!)),
    `${current.name} was changed. Records that were written before must stay readable: leave the old files alone, save the new schema as ` +
      `src/avro/history/${folder}/${next}.json, add it to src/avro/history.ts, and add a golden record test/fixtures/${folder}-${next}.hex.`,
  ).toBe(fingerprintText(fingerprintOf(current)))
})

test.each(kinds)('$folder: the reader knows every file of the history, in order', ({ folder, history }) => {
  const numbers = files(join(schemas, folder), '.json').map(name => Number.parseInt(name, 10))
  expect(numbers.sort((a, b) => a - b)).toEqual(history.map((_, i) => i + 1))
  expect(history.map(fingerprintOf)).toEqual(history.map((_, i) => fingerprintOf(readSchema(folder, `${i + 1}.json`))))
})

test.each(kinds)('$folder: no two versions have the same fingerprint', ({ history }) => {
  expect(new Set(history.map(fingerprintOf)).size).toBe(history.length)
})

test.each(kinds)('$folder: Avro itself finds the newest reader compatible with every version', ({ current, history }) => {
  const type = (schema: AvroRecord) => avsc.Type.forSchema(schema as unknown as avsc.Schema, { wrapUnions: false })
  for (const version of history) expect(() => type(current).createResolver(type(version))).not.toThrow()
})

test.each(kinds)('$folder: every version has golden bytes that decode', ({ folder, history, decode }) => {
  for (const [index, schema] of history.entries()) {
    const name = `${folder}-${index + 1}`
    const bytes = Buffer.from(readFileSync(join(golden, `${name}.hex`), 'utf8').trim(), 'hex')
    const fingerprint = fingerprintText(bytes.readBigUInt64LE(2))
    expect(fingerprint, `${name}.json was changed after records were written with it: restore it, and add a version instead.`).toBe(
      fingerprintText(fingerprintOf(schema)),
    )
    expect(decode(bytes), name).toMatchSnapshot()
  }
})

test('a record older than staging has no origin, and neither has one written without an origin', () => {
  const old = decodeSpanBatch(Buffer.from(readFileSync(join(golden, 'span-batch-1.hex'), 'utf8').trim(), 'hex'))
  expect(old.staged).toBe(null)
  const { staged: _, ...without } = old
  expect(decodeSpanBatch(encodeSpanBatch(without)).staged).toBe(null)
})
