// Each query must return a response or an InvalidQuery error.
import type { ColumnStore } from '@svc-server/column-store/port'
import { sized } from '@svc-server/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listExperimentItems, listExperiments } from '../src/experiments/index.ts'
import { observationFields } from '../src/fields/catalog.ts'
import { InvalidQuery } from '../src/invalid-query.ts'
import { queryMetrics } from '../src/metrics/index.ts'
import { listObservations } from '../src/observations/index.ts'
import { insertRows, openEngine, type TestEngine } from './engine.ts'

const runs = sized(40, 16)

let engine: TestEngine
let columnStore: ColumnStore
beforeAll(async () => {
  engine = await openEngine()
  columnStore = engine.columnStore
  await insertRows(columnStore, 'events_full', [
    { project_id: 'p', trace_id: 't', span_id: 's', start_time: '2026-02-01 10:00:00', event_ts: '2026-02-01 10:00:00' },
  ])
})
afterAll(() => engine[Symbol.asyncDispose]())

const text = fc.oneof(
  fc.constantFrom(
    '',
    '\0',
    '\ud800',
    'a\udfffb',
    "'",
    '\\',
    '`',
    '{p0:String}',
    "') OR 1 --",
    '%',
    'é'.repeat(3_000),
    '\u2028',
    '__proto__',
    'constructor',
  ),
  fc.string({ unit: 'binary', maxLength: 8 }),
)
const number = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(0, -0, 2 ** 63, 1e308, 5e-324))
const time = fc.constantFrom(
  '1900-01-01T00:00:00Z',
  '2299-12-30T23:59:59.999999Z',
  '1969-12-31T23:59:59.9999995Z',
  '2026-02-01T10:00:00+14:00',
)
const some = <T>(...values: readonly T[]) => fc.constantFrom(...values)

const condition = fc.record({
  type: some(
    'string',
    'stringOptions',
    'number',
    'datetime',
    'boolean',
    'arrayOptions',
    'null',
    'stringObject',
    'numberObject',
    'booleanObject',
    'categoryOptions',
  ),
  column: some(...observationFields.map(({ id }) => id), 'hasOwnProperty', '__proto__', ''),
  operator: some(
    '=',
    '<>',
    '>',
    '<=',
    'contains',
    'does not contain',
    'starts with',
    'ends with',
    'matches',
    'any of',
    'none of',
    'all of',
    'is null',
    'is set',
    'is not set',
  ),
  value: fc.oneof(text, number, time, fc.boolean(), fc.array(text, { maxLength: 3 }), fc.constant('')),
  key: text,
})
const filter = fc.array(condition, { minLength: 1, maxLength: 2 }).map(conditions => JSON.stringify(conditions))
const cursor = fc.oneof(
  text,
  fc
    .record({
      v: fc.constant(1),
      t: some('0', '-1', '999999999999999999', '-999999999999999999', 'x'),
      h: number,
      s: text,
      f: text,
      a: some('0', '9'),
      i: text,
    })
    .map(position => Buffer.from(JSON.stringify(position)).toString('base64url')),
)

/** Counts the accepted queries. */
async function taken(queries: readonly Promise<{ readonly data: readonly unknown[] }>[]): Promise<number> {
  const outcomes = await Promise.allSettled(queries)
  for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(InvalidQuery)
  return outcomes.filter(({ status }) => status === 'fulfilled').length
}

test('hostile filters, parameters and cursors get a response or an InvalidQuery', async () => {
  let count = 0
  await fc.assert(
    fc.asyncProperty(filter, text, cursor, time, async (filter, given, cursor, time) => {
      const options = { projectId: 'p', signal: undefined }
      const observations = (query: object) => listObservations(columnStore, { ...options, query }, async () => new Map())
      count += await taken([
        observations({ filter }),
        observations({
          name: given,
          traceId: given,
          environment: [given],
          parentObservationId: given,
          fromStartTime: time,
          fields: given,
          expandMetadata: given,
        }),
        observations({ cursor }),
        listExperiments(columnStore, { ...options, query: { fromStartTime: time, id: given, cursor, fields: 'scores' } }),
        listExperimentItems(columnStore, { ...options, query: { fromStartTime: time, experimentName: given, cursor, filter } }),
      ])
    }),
    { numRuns: runs, endOnFailure: true },
  )
  expect(count).toBeGreaterThan(runs)
})

test('hostile metrics queries get a response or an InvalidQuery', async () => {
  const usual = <T>(arbitrary: fc.Arbitrary<T>) => ({ weight: 6, arbitrary })
  const name = fc.oneof(usual(some('name', 'environment')), text, some('tags', 'costType', 'toolNames', 'traceId', 'value', '__proto__'))
  const measure = fc.oneof(usual(some('count')), some('latency', 'totalCost', 'value', 'constructor'))
  const query = fc.record({
    view: some('observations', 'scores-numeric', 'scores-boolean', 'scores-categorical'),
    dimensions: fc.array(fc.record({ field: name }), { maxLength: 2 }),
    metrics: fc.array(fc.record({ measure, aggregation: some('sum', 'p99', 'histogram', 'uniq') }), { minLength: 1, maxLength: 2 }),
    filters: fc.oneof(usual(fc.constant(null)), fc.array(condition, { maxLength: 1 })),
    timeDimension: fc.option(fc.record({ granularity: some('auto', 'minute', 'week', 'month') })),
    fromTimestamp: some('1900-01-01T00:00:00Z', '2026-01-01T00:00:00Z'),
    toTimestamp: some('2299-12-30T23:59:59Z', '2026-03-01T00:00:00Z'),
    orderBy: fc.oneof(usual(fc.constant(null)), fc.array(fc.record({ field: name, direction: some('asc', 'desc') }), { maxLength: 2 })),
    config: some(null, { row_limit: 1_000, bins: 100 }, {}),
  })
  let count = 0
  await fc.assert(
    fc.asyncProperty(fc.array(query, { minLength: 3, maxLength: 3 }), async queries => {
      count += await taken(
        queries.map(each => queryMetrics(columnStore, { projectId: 'p', query: JSON.stringify(each), signal: undefined })),
      )
    }),
    { numRuns: runs, endOnFailure: true },
  )
  expect(count).toBeGreaterThan(runs / 8)
})
