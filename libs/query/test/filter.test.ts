// The tests create random rows and filters with every column, operator, and type. Each filter must select the same rows in the column store
// and in memory.
import type { ColumnStore } from '@svc-server/column-store/port'
import { sized } from '@svc-server/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { observationFields } from '../src/fields/catalog.ts'
import { type EventRow, e, eventsCore, eventsFull } from '../src/fields/events.ts'
import type { FilterField } from '../src/fields/kinds.ts'
import type { Condition } from '../src/filter/condition.ts'
import { filterHolds, type ObservedScore } from '../src/filter/predicate.ts'
import { filterOf, readFilter } from '../src/filter/read.ts'
import { filterColumns } from '../src/filter/resolve.ts'
import { conditionSql, isExactOnCore } from '../src/filter/sql.ts'
import { numberField, textField } from '../src/sql/field.ts'
import { newestIn, read, select } from '../src/sql/select.ts'
import { sql } from '../src/sql/sql.ts'
import { insertRows, openEngine, stored, type TestEngine, testBounds } from './engine.ts'

const columns = filterColumns(observationFields)
const scope = { project: 'p', time: { everyTime: 'a test' } }
const startUs = BigInt(Date.UTC(2026, 0, 31, 23, 59, 59, 999)) * 1000n + 999n

// The columns have few different values, so that a filter matches some rows but not all.
const pick = <T>(...values: readonly T[]) => fc.constantFrom(...values)
const long = `${'l'.repeat(198)}é%`
const texts = ['', 'a', 'A b', 'a_b', '%', '_', 'é💥', "it's \\ \n{x:String}", 'foo-bar baz', `${long}tail`, long, `${long}x foo`]
const anyText = pick(...texts)
const keys = ['', 'k', 'a.b', 'a=b', 'é', '__proto__', '7']
const anyKey = pick(...keys)
const anyTime = fc.integer({ min: -2_000, max: 2_000 }).map(off => startUs + BigInt(off))
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 3 })
const numbers = [-1, 0, 0.3, 0.0105, 1, 2, 3, 7, 1e21, 0.001]

const leaf = fc.oneof(
  anyText.map(text => ({ text, type: 0 })),
  pick('0', '1', '-1', '2.5', '1e21', '0.0105', '9007199254740993').map(text => ({ text, type: 1 })),
  pick('true', 'false').map(text => ({ text, type: 2 })),
  pick('[1,"a"]', '[]').map(text => ({ text, type: 3 })),
  fc.constant({ text: '', type: 4 }),
)
const usageNames = pick('input', 'INPUT_cached', 'output', 'Output_audio', 'total', 'other')
const anyRow = fc.record({
  trace_id: pick('t0', 't1'),
  parent_span_id: pick('', 's0', 's1'),
  start_time: anyTime,
  end_time: optional(anyTime),
  completion_start_time: optional(anyTime),
  text: fc.array(anyText, { minLength: 16, maxLength: 16 }),
  type: pick('SPAN', 'GENERATION'),
  level: pick('DEFAULT', 'ERROR'),
  environment: pick('default', 'prod', ''),
  flags: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
  tags: fc.array(anyText, { maxLength: 3 }),
  prompt_version: optional(pick(0, 1, 7)),
  tier: optional(pick('', 'standard')),
  usage_details: fc.dictionary(usageNames, pick(0, 1, 2, 7), { maxKeys: 4 }),
  cost_details: fc.dictionary(usageNames, pick(0, 0.1, 0.2, 0.0105, 2), { maxKeys: 4 }),
  tool_definitions: fc.dictionary(anyText, fc.constant('{}'), { maxKeys: 2 }),
  tool_calls: fc.array(anyText, { maxLength: 3 }),
  metadata: fc.array(fc.tuple(anyKey, leaf), { maxLength: 5 }),
  isItem: fc.boolean(),
})
type AnyRow = typeof anyRow extends fc.Arbitrary<infer Row> ? Row : never

function rowOf(row: AnyRow, at: number) {
  const [name, version, release, trace_name, user_id, session_id, status_message, prompt_id, prompt_name, model_id, provided_model_name] =
    row.text
  const [input, output, experiment_id, experiment_name, key] = row.text.slice(11)
  const { metadata, text: _, flags, tier, isItem, ...columns } = row
  return {
    ...columns,
    ...{ name, version, release, trace_name, user_id, session_id, status_message, prompt_id, prompt_name, model_id, provided_model_name },
    ...{
      input,
      output,
      experiment_id,
      experiment_name,
      model_parameters: key,
      ingestion_api_key: key,
      ingestion_sdk_name: key,
      source: key,
    },
    ...{ project_id: 'p', span_id: `s${at}`, is_app_root: flags[0], bookmarked: flags[1], public: flags[2], usage_pricing_tier_name: tier },
    ...{ tool_call_names: row.tool_calls, experiment_item_root_span_id: isItem ? `s${at}` : '' },
    metadata_names: metadata.map(([key]) => key),
    metadata_values: metadata.map(([, { text }]) => text),
    metadata_types: metadata.map(([, { type }]) => type),
    ...{ start_time: stored(row.start_time), end_time: row.end_time && stored(row.end_time), event_ts: stored(startUs), is_deleted: 0 },
    ...{
      completion_start_time: row.completion_start_time && stored(row.completion_start_time),
      created_at: stored(startUs),
      updated_at: stored(startUs),
    },
  }
}

const anyScore = fc.record({
  name: pick('quality', 'é'),
  dataType: pick('NUMERIC', 'BOOLEAN', 'CATEGORICAL', 'TEXT', 'CORRECTION'),
  value: pick(0, 1, 2),
  stringValue: optional(pick('', 'good', 'bad')),
  traceId: pick('t0', 't1'),
  observationId: optional(pick('', 's0', 's1', 's2')),
  // A score row replaces an earlier row with the same id, even if the keys of the rows differ.
  id: pick(...Array.from({ length: 12 }, (_, at) => `score-${at}`)),
  isOld: fc.boolean(),
  isDeleted: fc.integer({ min: 0, max: 5 }).map(n => n === 0),
})
type AnyScore = typeof anyScore extends fc.Arbitrary<infer Score> ? Score : never

const scoreRow = (score: AnyScore, version: number) => ({
  ...{ id: score.id, project_id: 'p', name: score.name, value: score.value, data_type: score.dataType, string_value: score.stringValue },
  ...{ trace_id: score.traceId, observation_id: score.observationId, source: 'API', is_deleted: score.isDeleted ? 1 : 0 },
  ...{ timestamp: `2026-01-0${score.isOld ? 1 : 2} 00:00:00.000`, event_ts: `2026-01-03 00:00:00.${String(version).padStart(3, '0')}` },
})

const typesOf: Readonly<Record<FilterField['kind'], (column: string) => fc.Arbitrary<object>>> = (() => {
  const of = (type: string, operators: readonly string[], value: fc.Arbitrary<unknown>, key?: fc.Arbitrary<string>) => (column: string) =>
    fc.record({ type: fc.constant(type), column: fc.constant(column), operator: pick(...operators), value, ...(key && { key }) })
  const oneOf =
    (...each: readonly ((column: string) => fc.Arbitrary<object>)[]) =>
    (column: string) =>
      fc.oneof(...each.map(arbitrary => arbitrary(column)))
  const textOperators = ['=', 'contains', 'does not contain', 'starts with', 'ends with']
  const comparisons = ['>', '<', '>=', '<=']
  const numberOperators = ['=', ...comparisons]
  const isNull = of('null', ['is null', 'is not null'], fc.constant(''))
  const part = fc.tuple(anyText, fc.nat(5), fc.nat(12)).map(([text, from, length]) => [...text].slice(from, from + length).join(''))
  const value = fc.oneof(anyText, part, pick('s0', 's1', 't0', 'SPAN', 'ERROR', 'default', 'API', 'standard'))
  const searched = fc
    .oneof(part, anyText, pick('foo', 'FOO', 'bar', 'É💥', 'A B'))
    .filter(text => /[0-9A-Za-z\u0080-\u{10ffff}]/u.test(text))
  const scoreName = pick('quality', 'é', 'none')
  return {
    text: oneOf(
      of('string', textOperators, value),
      of('stringOptions', ['any of', 'none of'], fc.array(value, { minLength: 1, maxLength: 3 })),
      isNull,
    ),
    number: oneOf(of('number', numberOperators, pick(...numbers)), isNull),
    time: oneOf(
      of(
        'datetime',
        comparisons,
        anyTime.map(us => `${stored(us).replace(' ', 'T')}Z`),
      ),
      isNull,
    ),
    boolean: of('boolean', ['=', '<>'], fc.boolean()),
    list: oneOf(
      of('arrayOptions', ['any of', 'none of', 'all of'], fc.array(anyText, { minLength: 1, maxLength: 2 })),
      of('arrayOptions', ['none of', 'all of'], fc.constant([])),
    ),
    searched: oneOf(of('string', textOperators, value), of('string', ['matches'], searched)),
    metadata: oneOf(
      of('stringObject', [...textOperators, 'is set', 'is not set'], fc.oneof(value, pick('true', '1', '[]')), anyKey),
      of('stringObject', ['matches'], searched, anyKey),
      of('numberObject', numberOperators, pick(...numbers), anyKey),
      of('booleanObject', ['=', '<>'], fc.boolean(), anyKey),
      of('categoryOptions', ['any of', 'none of'], fc.array(fc.oneof(value, pick('true', '1')), { maxLength: 3 }), anyKey),
    ),
    amounts: of('numberObject', numberOperators, pick(...numbers), usageNames),
    price: of('number', numberOperators, pick(...numbers)),
    scoreAverage: of('numberObject', numberOperators, pick(0, 0.5, 1, 2), scoreName),
    scoreCategories: of('categoryOptions', ['any of', 'none of'], fc.array(pick('', 'good', 'bad'), { maxLength: 2 }), scoreName),
    scoreBooleans: of('booleanObject', ['=', '<>'], fc.boolean(), scoreName),
  }
})()

let engine: TestEngine
let columnStore: ColumnStore
beforeAll(async () => {
  engine = await openEngine()
  columnStore = engine.columnStore
})
afterAll(() => engine[Symbol.asyncDispose]())

interface World {
  readonly rows: readonly EventRow[]
  readonly scores: readonly (ObservedScore & { readonly traceId: string })[]
}

async function storeWorld(rows: readonly AnyRow[], scores: readonly AnyScore[]): Promise<World> {
  for (const table of ['events_full', 'events_core', 'scores']) await columnStore.command(`TRUNCATE TABLE ${table}`)
  await insertRows(columnStore, 'events_full', rows.map(rowOf))
  if (scores.length > 0) await insertRows(columnStore, 'scores', scores.map(scoreRow))
  const newest = new Map(scores.map(score => [score.id, score]))
  return {
    rows: await read(columnStore, select(newestIn(eventsFull, scope), e), testBounds()),
    scores: [...newest.values()].filter(({ isDeleted }) => !isDeleted),
  }
}

async function passing(table: typeof eventsFull | typeof eventsCore, filters: readonly (readonly Condition[])[], cut: boolean) {
  const passes = filters.map(
    conditions =>
      sql`${conditions.map(condition => sql`(${conditionSql(condition, { project: 'p', cut })})`).reduce((all, each) => sql`${all} AND ${each}`)}`,
  )
  const fields = Object.fromEntries(passes.map((condition, at) => [`f${at}`, numberField(sql`toUInt8(${condition})`)]))
  const rows = await read(columnStore, select(newestIn(table, scope), { id: textField(e.span_id.sql), ...fields }), testBounds())
  return filters.map(
    (_, at) =>
      new Set(rows.flatMap(row => (Object.entries(row).some(([name, value]) => name === `f${at}` && Number(value) === 1) ? [row.id] : []))),
  )
}

const filtersOf = (fields: readonly FilterField[], count: number) =>
  fc.array(fc.array(fc.oneof(...fields.map(field => typesOf[field.kind](field.id))), { minLength: 1, maxLength: 2 }), {
    minLength: count,
    maxLength: count,
  })

async function compare(world: World, filters: readonly (readonly object[])[]): Promise<void> {
  const resolved = filters.map(filter => filterOf(filter, columns))
  const onFull = await passing(eventsFull, resolved, false)
  // A condition on scores selects the same rows from events_full and events_core. The test therefore queries only events_full.
  const onCore = resolved.flat().some(({ is }) => is.startsWith('score')) ? onFull : await passing(eventsCore, resolved, true)
  for (const [at, conditions] of resolved.entries()) {
    const inMemory = world.rows.filter(row =>
      filterHolds(conditions, { row, scores: world.scores.filter(({ traceId }) => traceId === row.trace_id) }),
    )
    const expected = inMemory.map(row => row.span_id).sort()
    const context = JSON.stringify(filters[at])
    expect([context, [...onFull[at]!].sort()]).toEqual([context, expected])
    const core = [...onCore[at]!].sort()
    if (conditions.every(isExactOnCore)) expect([context, core]).toEqual([context, expected])
    // A search reads events_full. The truncated texts of events_core therefore do not affect a search.
    else if (conditions.every(({ is }) => is !== 'search')) expect([context, core]).toEqual([context, expect.arrayContaining(expected)])
  }
}

describe('the column store and memory agree on random filters', () => {
  const kinds: readonly (readonly [string, (field: FilterField) => boolean])[] = [
    ['texts and lists', ({ kind }) => kind === 'text' || kind === 'list'],
    ['numbers, times and booleans', ({ kind }) => kind === 'number' || kind === 'amounts' || kind === 'time' || kind === 'boolean'],
    ['metadata', ({ kind }) => kind === 'metadata'],
    ['searches', ({ kind }) => kind === 'searched'],
    ['scores', ({ kind }) => kind.startsWith('score')],
  ]
  test.each(kinds)('of %s', async (_, isOf) => {
    const fields = observationFields.filter(isOf)
    const ofScores = fields[0]!.kind.startsWith('score')
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyRow, { minLength: 12, maxLength: 20 }),
        fc.array(anyScore, { maxLength: ofScores ? 20 : 0 }),
        filtersOf(fields, ofScores ? 8 : 25),
        async (rows, scores, filters) => compare(await storeWorld(rows, scores), filters),
      ),
      { numRuns: sized(4, 2), endOnFailure: true },
    )
  })
})

describe('reading a filter', () => {
  const refusal = (filter: unknown) => {
    try {
      readFilter(typeof filter === 'string' ? filter : JSON.stringify(filter), columns)
    } catch (error) {
      return error
    }
    return undefined
  }
  const condition = { type: 'string', column: 'name', operator: '=', value: 'x' }
  test.each([
    ['no JSON', '[', 'request', 'Invalid JSON in filter parameter'],
    ['no list', {}, 'shape', ''],
    ['an unknown type', [{ ...condition, type: 'text' }], 'shape', ''],
    ['an operator of another type', [{ ...condition, operator: '>' }], 'shape', ''],
    ['no column', [{ ...condition, column: undefined }], 'shape', ''],
    ['no value', [{ ...condition, value: undefined }], 'shape', ''],
    ['no key', [{ type: 'numberObject', column: 'metadata', operator: '=', value: 1 }], 'shape', ''],
    ['a value of another JSON type', [{ ...condition, value: 1 }], 'shape', ''],
    ['any of nothing', [{ type: 'arrayOptions', column: 'tags', operator: 'any of', value: [] }], 'shape', ''],
    ['no time', [{ type: 'datetime', column: 'startTime', operator: '>', value: 'yesterday' }], 'shape', ''],
    ['an unknown column', [{ ...condition, column: 'nobody' }], 'request', 'There is no column "nobody" to filter by.'],
    [
      'a type that the column does not take',
      [{ ...condition, column: 'latency' }],
      'request',
      'The column latency does not support filters of the type string.',
    ],
    ['is null of a list', [{ type: 'null', column: 'tags', operator: 'is null', value: '' }], 'request', ''],
    [
      'matches of a name',
      [{ ...condition, operator: 'matches' }],
      'request',
      'Only input, output and metadata can be searched with the operator `matches`.',
    ],
    [
      'matches without a word',
      [{ ...condition, column: 'input', operator: 'matches', value: '-!' }],
      'request',
      'The value of matches must contain a letter or a digit.',
    ],
  ])('%s', (_, filter, kind, message) => {
    expect(refusal(filter)).toMatchObject({ name: 'InvalidQuery', kind, message: expect.stringContaining(message) })
  })
  test('an empty filter has no conditions', () =>
    expect([readFilter('', columns), readFilter('[]', columns), readFilter(undefined, columns)]).toEqual([[], [], []]))
  test('accepts a column by its label and in snake case', () => {
    const of = (column: string) => filterOf([{ ...condition, column }], columns)
    expect([of('Trace ID'), of('trace_id')]).toEqual([of('traceId'), of('traceId')])
  })
})
