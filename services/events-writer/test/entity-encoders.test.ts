// Encodes arbitrary records of entity tables. For each record, the encoder either creates all rows or rejects the whole record as a dead
// letter. It never affects another record.
import { type CellValue, readNativeBlock } from '@svc-server/column-store/native'
import { denialsOf } from '@svc-server/deletions/denials'
import { topicNames } from '@svc-server/modes/names'
import { UndecodableRecord } from '@svc-server/schema/undecodable-record'
import { sized } from '@svc-server/testkit'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Destination } from '../src/destinations/destination.ts'
import { events } from '../src/destinations/events.ts'
import { observations } from '../src/destinations/observations.ts'
import type { EncodedRows, RowEncoder, RowPlace, SourceRecord } from '../src/destinations/row-encoder.ts'
import { selectionOf } from '../src/destinations/row-encoder.ts'
import { traces } from '../src/destinations/traces.ts'
import { openRecord } from '../src/records.ts'
import { type EntityType, entity, entityRecord, iso } from './entities.ts'
import { now, projectId, spanBatch } from './world.ts'

const options = { maxRecordBytes: 1e8, maxRowBytes: 256 << 20, maxWork: 3e6, brandAliases: [] }
const day = 86_400_000

const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 8 }), fc.constantFrom('', 'ü', '{"tools":[{"name":"f"}]}'))
const json = fc.jsonValue({ maxDepth: 3 })
const time = fc.integer({ min: -40, max: 5 }).map(days => iso(now + days * day))
const shared = { name: text, version: text, metadata: json, input: json, output: json }
const traceBody = fc.record({ ...shared, timestamp: time, userId: text, tags: fc.array(text, { maxLength: 3 }) }, { requiredKeys: [] })
const observationBody = fc.record(
  {
    ...shared,
    startTime: time,
    endTime: time,
    traceId: fc.constantFrom('a', 'b'),
    model: fc.constantFrom('gpt-4o', 'm'),
    modelParameters: json,
    usage: fc.constantFrom({ input: 1, output: 2 }, { totalCost: 0.25 }),
    promptName: fc.constant('p'),
    promptVersion: fc.constantFrom(1, -1, 1e9),
  },
  { requiredKeys: [] },
)
const type = fc.constantFrom<EntityType>('trace', 'observation')
const kinds = fc.constantFrom('span-create', 'generation-create', 'event-create')

/**
 * Generates an entity that was published after each of its events. Each event can change the key of the entity's row, so the key can
 * differ from one publication to the next.
 */
const published = type.chain(entityType => {
  const told = fc.record({
    body: (entityType === 'trace' ? traceBody : observationBody) as fc.Arbitrary<Record<string, unknown>>,
    type: entityType === 'trace' ? fc.constant('trace-create') : kinds,
    at: fc.integer({ min: -5, max: 5 }),
  })
  return fc.array(told, { minLength: 1, maxLength: 5 }).map(list => {
    let known: ReturnType<typeof entity> | null = null
    for (const each of list) known = entity(entityType, 'entity-1', each, known)
    return known!
  })
})
const fill = fc.record({ traceAttributes: fc.constantFrom(null, { userId: 'u', tags: ['x'] }), rootSpanId: fc.constantFrom(null, 'ab') })

interface Case {
  readonly destination: Destination
  readonly topic: string
  /** Generates records of this topic. */
  readonly record: fc.Arbitrary<Buffer>
}

const merged = published.map(of => entityRecord(of))
const cases: readonly Case[] = [
  { destination: traces, topic: topicNames.entities, record: merged },
  { destination: observations, topic: topicNames.entities, record: merged },
  { destination: events, topic: topicNames.filled, record: fc.tuple(published, fill).map(([of, filled]) => entityRecord(of, filled)) },
]

const hostile = (value: Buffer): fc.Arbitrary<Buffer> =>
  fc.oneof(
    // The header stays unchanged, because a record with a different header would be a different kind of record.
    fc.nat({ max: value.length - 11 }).map(rest => value.subarray(0, 10 + rest)),
    fc.array(fc.nat(), { minLength: 1, maxLength: 4 }).map(bits => {
      const flipped = Buffer.from(value)
      for (const bit of bits) {
        const at = 10 + (Math.floor(bit / 8) % (value.length - 10))
        flipped[at]! ^= 1 << (bit % 8)
      }
      return flipped
    }),
    fc.uint8Array({ maxLength: 200 }).map(rest => Buffer.concat([value.subarray(0, 10), rest])),
  )

describe.each(cases)('$destination.table, from $topic', ({ destination, topic, record }) => {
  let encoder: RowEncoder
  beforeAll(async () => {
    encoder = await destination.createEncoder(options)
  })

  const around = topic === topicNames.filled ? [spanBatch({ count: 3, seed: 'before' }), spanBatch({ count: 2, seed: 'behind' })] : []
  const recordsOf = (values: readonly Uint8Array[]): readonly SourceRecord[] => {
    const [before, behind] = around
    const list = [...(before ? [before] : []), ...values, ...(behind ? [behind] : [])]
    return list.map((value, at) => ({ topic, partition: 0, offset: 10 + at, timestampMs: now, value }))
  }
  const rowsIn = ({ body }: EncodedRows) => readNativeBlock(body)
  const idOf = (row: Record<string, CellValue>) => row['span_id'] ?? row['id']
  const idIn = (place: RowPlace) => place.key.at(-1)
  const itemsIn = (records: readonly SourceRecord[]) => records.reduce((sum, { value }) => sum + openRecord(topic, value, now).items, 0)

  test('places match the rows of the block, and selected rows are the same without the others', () => {
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 4 }), fc.infiniteStream(fc.boolean()), (values, chosen) => {
        const records = recordsOf(values)
        const encoded = encoder.encode(records)
        const rows = rowsIn(encoded)
        const places = encoder.places(records)
        expect(encoded.rejected).toEqual([])
        expect(encoded.items).toBe(itemsIn(records))
        expect(places.map(idIn)).toEqual(rows.map(idOf))
        expect(new Set(places.map(({ offset, index }) => `${offset}/${index}`)).size).toBe(rows.length)
        const wanted = places.filter(() => chosen.next().value)
        const part = encoder.encode(records, selectionOf(wanted))
        expect(rowsIn(part)).toEqual(rows.filter((_, at) => wanted.includes(places[at]!)))
        const raws = encoder.raws(records, selectionOf(wanted))
        const isMerged = ({ offset }: { offset: number }) =>
          records.some(each => each.offset === offset && values.some(one => one === each.value))
        expect(raws.filter(isMerged).map(({ offset, index }) => [offset, index])).toEqual(
          [...new Set(wanted.filter(isMerged).map(({ offset }) => offset))].map(offset => [offset, 0]),
        )
      }),
      { numRuns: sized(50, 20) },
    )
  })

  const opens = (value: Uint8Array): boolean => {
    try {
      openRecord(topic, value, now)
      return true
    } catch (error) {
      expect(error).toBeInstanceOf(UndecodableRecord)
      return false
    }
  }

  test('a truncated, altered or invented record becomes a dead letter or rows, and its neighbors stay unchanged', () => {
    const many = record.chain(value => fc.tuple(fc.constant(value), fc.array(hostile(value), { minLength: 6, maxLength: 10 })))
    fc.assert(
      fc.property(many, ([good, bad]) => {
        const records = recordsOf([good, ...bad, good])
        const encoded = encoder.encode(records)
        const rows = rowsIn(encoded)
        const places = encoder.places(records)
        expect(places.length).toBe(rows.length)
        const isBad = (offset: number) => bad.some(value => records.find(one => one.offset === offset)!.value === value)
        const rejected = new Set(encoded.rejected.map(({ offset }) => offset))
        expect(rejected.size).toBe(encoded.rejected.length)
        for (const { offset, index, reason } of encoded.rejected) {
          expect([isBad(offset), index]).toEqual([true, reason === 'record_undecodable' ? null : 0])
        }
        for (const { offset, value } of records) if (!opens(value)) expect(rejected).toContain(offset)
        const others = records.filter(({ offset }) => !isBad(offset))
        expect(encoded.items).toBe(itemsIn(others) + bad.length - rejected.size)
        expect(rows.filter((_, at) => !isBad(places[at]!.offset))).toEqual(rowsIn(encoder.encode(others)))
      }),
      { numRuns: sized(60, 25) },
    )
  })

  test('a denied entity has tombstones even where its own row would be rejected', () => {
    const began = iso(now - 9e11)
    for (const entityType of ['trace', 'observation'] as const) {
      const of = entity(entityType, 'entity-1', { body: { timestamp: began, startTime: began, traceId: 'entity-1' } })
      const value = entityRecord(
        { ...of, retired: [{ startMs: now - day, type: 'SPAN', traceId: 'entity-1' }] },
        topic === topicNames.filled ? {} : undefined,
      )
      const records = recordsOf([value])
      const denials = denialsOf([{ projectId, traceId: 'entity-1' }])
      const places = encoder.places(records, denials).filter(place => idIn(place) === 'entity-1' || idIn(place) === 't-entity-1')
      const isTaken = destination === events || entityType === (destination === traces ? 'trace' : 'observation')
      expect(places.length).toBe(isTaken ? 1 : 0)
      expect(encoder.raws(records, selectionOf(places), denials).map(({ raw }) => Buffer.from(raw))).toEqual(places.map(() => value))
    }
  })

  test('a block has no more bytes than estimated for its records', () => {
    fc.assert(
      fc.property(record, value => {
        const { body, rows } = encoder.encode([{ topic, partition: 0, offset: 0, timestampMs: now, value }])
        const weighed = openRecord(topic, value, now)
        // Subtracts the bytes of the column names. A block contains the names only once, even if it has many rows.
        const names = encoder.encode([]).body.reduce((sum, part) => sum + part.byteLength, 0)
        expect(body.reduce((sum, part) => sum + part.byteLength, -names)).toBeLessThanOrEqual(weighed.rowBytes)
        expect(rows).toBeLessThanOrEqual(weighed.rows)
      }),
      { numRuns: sized(100, 40) },
    )
  })

  test('an entity of seven megabytes that moved between sixty-four keys: its tombstones repeat none of the content', () => {
    const body = { input: 'x'.repeat(3 << 20), output: 'y'.repeat(3 << 20), metadata: { a: 'z'.repeat(1 << 19) } }
    const retired = Array.from({ length: 64 }, (_, at) => ({ startMs: now - (at + 1) * day, type: 'SPAN', traceId: 'a' }))
    for (const entityType of ['trace', 'observation'] as const) {
      const of = { ...entity(entityType, 'entity-1', { body: { ...body, traceId: 'a' } }), retired }
      const value = entityRecord(of, topic === topicNames.filled ? {} : undefined)
      const { body: block, rows } = encoder.encode([{ topic, partition: 0, offset: 0, timestampMs: now, value }])
      const bytes = block.reduce((sum, part) => sum + part.byteLength, 0)
      expect([0, 65]).toContain(rows)
      expect(bytes).toBeLessThan(value.length + (1 << 19))
      expect(bytes).toBeLessThan(openRecord(topic, value, now).rowBytes)
    }
  })
})
