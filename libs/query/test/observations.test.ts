// Tests the paged lists of observations on the real engine. All pages of a list together must contain each observation once, in its newest
// version.

import { ObservationV2 } from '@svc-server/api/observations/types'
import type { ColumnStore } from '@svc-server/column-store/port'
import { sized } from '@svc-server/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listObservations, type ObservationsQuery, pricesOfTiers } from '../src/observations/index.ts'
import { insertRows, openEngine, stored, type TestEngine } from './engine.ts'
import { filtersOf } from './filters-of.ts'

let engine: TestEngine
let columnStore: ColumnStore
beforeAll(async () => {
  engine = await openEngine()
  columnStore = engine.columnStore
  await columnStore.command('SYSTEM STOP MERGES events_full')
  await columnStore.command('SYSTEM STOP MERGES events_core')
})
afterAll(() => engine[Symbol.asyncDispose]())

const at = (BigInt(Date.UTC(2026, 0, 31, 23, 59, 59)) * 1_000_000n) / 1000n
const list = (query: ObservationsQuery, projectId = 'p') =>
  listObservations(columnStore, { projectId, query, signal: undefined }, async () => new Map([['m', pricesOfTiers(tiers)]]))
const tiers = [
  { isDefault: false, prices: { input: '9' } },
  { isDefault: true, prices: { input: '0.000001', total: '0.5' } },
]
const ids = async (query: ObservationsQuery, projectId = 'p') => (await list(query, projectId)).data.map(({ id }) => id)

const longText = `${'é'.repeat(199)}€!`
const whole = {
  ...{
    project_id: 'whole',
    trace_id: 't',
    span_id: 's',
    parent_span_id: '',
    name: 'root',
    type: 'GENERATION',
    environment: 'prod',
    version: '1',
  },
  ...{ start_time: stored(at + 999n), end_time: stored(at + 1_500_001n), completion_start_time: stored(at + 250_000n), level: 'ERROR' },
  ...{
    status_message: 'failed',
    release: 'r',
    user_id: 'u',
    session_id: '',
    tags: ['b', 'a'],
    bookmarked: true,
    public: false,
    model_id: 'm',
  },
  ...{
    provided_model_name: 'gpt',
    model_parameters: '{"temperature":0.5}',
    usage_details: { input: 3, '7': 1 },
    cost_details: { total: 0.0105 },
  },
  ...{ usage_pricing_tier_name: 'standard', prompt_id: 'pi', prompt_name: 'pn', prompt_version: 2, input: longText, output: '' },
  metadata_names: ['a.b', 'n', 'yes', 'list', 'none', 'long', 'cut', 'twice', 'twice', '7'],
  metadata_values: ['5', '5.5', 'true', '[1,"a"]', '', longText, `["${longText}"]`, 'first', 'last', '__proto__'],
  metadata_types: [0, 1, 2, 3, 4, 0, 3, 0, 0, 0],
  ...{ created_at: stored(at), updated_at: stored(at + 1_999n), event_ts: stored(at) },
}

const core = {
  ...{ id: 's', traceId: 't', startTime: '2026-01-31T23:59:59.000Z', endTime: '2026-02-01T00:00:00.500Z', projectId: 'whole' },
  ...{ parentObservationId: null, type: 'GENERATION' },
}
const basic = {
  ...{
    name: 'root',
    level: 'ERROR',
    statusMessage: 'failed',
    version: '1',
    environment: 'prod',
    bookmarked: true,
    public: false,
    userId: 'u',
  },
  ...{ sessionId: null, isRootObservation: true },
}
const none = { modelId: null, inputPrice: null, outputPrice: null, totalPrice: null }
const metadata = {
  ...{ 'a.b': '5', n: 5.5, yes: true, list: [1, 'a'], none: null, long: longText, cut: [longText], twice: 'last', '7': '__proto__' },
}
const cut = { ...metadata, long: longText.slice(0, 200), cut: `["${longText}"]`.slice(0, 200) }

test('each group has its fields in the wire format', async () => {
  await insertRows(columnStore, 'events_full', [whole])
  const of = async (query: ObservationsQuery) => (await list(query, 'whole')).data[0]
  expect(await of({})).toEqual({ ...core, ...basic, ...none })
  expect(await of({ fields: 'core, nothing' })).toEqual({ ...core, ...none })
  expect(await of({ fields: 'nothing' })).toEqual({ ...core, ...none })
  expect(await of({ fields: ' time,metrics,trace_context ,' })).toEqual({
    ...{ ...core, ...none, completionStartTime: '2026-01-31T23:59:59.250Z', createdAt: '2026-01-31T23:59:59.000Z' },
    ...{ updatedAt: '2026-01-31T23:59:59.001Z', latency: 1.5, timeToFirstToken: 0.25, traceName: 'root', tags: ['b', 'a'], release: 'r' },
  })
  expect(await of({ fields: 'usage,prompt' })).toEqual({
    ...{ ...core, ...none, usageDetails: { input: 3, '7': 1 }, costDetails: { total: 0.0105 }, totalCost: 0.0105 },
    ...{ usagePricingTierName: 'standard', promptId: 'pi', promptName: 'pn', promptVersion: 2 },
  })
  expect(await of({ fields: 'model' })).toEqual({
    ...{ ...core, model: 'gpt', providedModelName: 'gpt', internalModelId: 'm', modelParameters: { temperature: 0.5 } },
    ...{ modelId: 'm', inputPrice: '0.000001', outputPrice: null, totalPrice: '0.5' },
  })
  expect(await of({ fields: 'io' })).toEqual({ ...core, ...none, input: longText, output: null })
  expect(await of({ fields: 'metadata' })).toEqual({ ...core, ...none, metadata: cut })
  const bySearch = JSON.stringify([{ type: 'string', column: 'input', operator: '=', value: longText }])
  expect(await of({ fields: 'metadata', filter: bySearch })).toEqual({ ...core, ...none, metadata: cut })
  expect(await of({ fields: 'metadata', expandMetadata: 'any' })).toEqual({ ...core, ...none, metadata })
  expect(await of({ fields: 'metadata,io' })).toEqual({ ...core, ...none, metadata, input: longText, output: null })
})

test('shows a row without values', async () => {
  await insertRows(columnStore, 'events_full', [
    {
      project_id: 'bare',
      trace_id: 't',
      span_id: 's',
      parent_span_id: 'x',
      start_time: stored(at),
      end_time: stored(at + 5n),
      event_ts: stored(at),
    },
  ])
  const { data } = await list({ fields: 'basic,time,io,metadata,model,usage,prompt,metrics,trace_context' }, 'bare')
  expect(data).toMatchObject([
    {
      ...{
        endTime: '2026-01-31T23:59:59.000Z',
        parentObservationId: 'x',
        name: null,
        level: 'DEFAULT',
        statusMessage: null,
        version: null,
      },
      ...{ userId: null, sessionId: null, isRootObservation: false, completionStartTime: null, input: null, output: null, metadata: {} },
      ...{
        model: null,
        providedModelName: null,
        internalModelId: null,
        modelParameters: {},
        usageDetails: {},
        costDetails: {},
        totalCost: null,
      },
      ...{ usagePricingTierName: null, promptId: null, promptName: null, promptVersion: null, latency: null, timeToFirstToken: null },
      ...{ traceName: null, tags: [], release: null, ...none },
    },
  ])
})

const row = (project_id: string, span_id: string, more: object = {}) => ({
  ...{
    project_id,
    span_id,
    trace_id: `t${Number(span_id) % 3}`,
    start_time: stored(at + BigInt(span_id)),
    event_ts: stored(at),
    name: 'n',
  },
  ...more,
})

test('filters by parameters, and by conditions that replace them', async () => {
  const hour = 3_600_000_000n
  await insertRows(columnStore, 'events_full', [
    row('q', '1', { name: 'a', type: 'SPAN', environment: 'x', level: 'ERROR', user_id: 'u', session_id: 's', version: 'v' }),
    row('q', '2', { name: 'b', parent_span_id: '1', is_app_root: true, environment: 'y', start_time: stored(at - hour) }),
    row('q', '3', { name: 'c', parent_span_id: '1', start_time: stored(at - 2n * hour) }),
  ])
  const of = (query: ObservationsQuery) => ids(query, 'q')
  const filter = (...conditions: readonly object[]) => JSON.stringify(conditions)
  expect(await of({})).toEqual(['1', '2', '3'])
  expect(await of({ name: 'a', type: 'SPAN', level: 'ERROR', userId: 'u', sessionId: 's', version: 'v', traceId: 't1' })).toEqual(['1'])
  expect(await of({ parentObservationId: '' })).toEqual(['1'])
  expect(await of({ parentObservationId: '1' })).toEqual(['2', '3'])
  expect([await of({ isRootObservation: true }), await of({ isRootObservation: false })]).toEqual([['1', '2'], ['3']])
  expect(await of({ environment: ['x', 'y'] })).toEqual(['1', '2'])
  const [from, to] = ['2026-01-31T22:59:59Z', '2026-01-31T23:59:59.000001Z']
  expect([await of({ fromStartTime: from }), await of({ toStartTime: to }), await of({ fromStartTime: from, toStartTime: to })]).toEqual([
    ['1', '2'],
    ['2', '3'],
    ['2'],
  ])
  const older = { type: 'datetime', column: 'startTime', operator: '<', value: from }
  expect(await of({ fromStartTime: from, toStartTime: to, filter: filter(older) })).toEqual(['3'])
  expect(
    await of({ environment: ['x'], filter: filter({ type: 'string', column: 'traceEnvironment', operator: '=', value: 'y' }) }),
  ).toEqual(['2'])
  const notA = { type: 'stringOptions', column: 'Name', operator: 'none of', value: ['a'] }
  expect(await of({ name: 'a', isRootObservation: true, filter: filter(notA, { ...notA, value: ['c'] }) })).toEqual(['2'])
})

test('rejects invalid queries', async () => {
  const refusal = async (query: ObservationsQuery) =>
    list(query).then(
      () => undefined,
      ({ kind, message, issues }) => [kind, message, issues[0]?.path[0]],
    )
  const contains = JSON.stringify([{ type: 'string', column: 'input', operator: 'contains', value: 'x' }])
  expect(await refusal({ filter: contains })).toEqual([
    'request',
    'Input/output filters require at least one `matches` or `=` operator.',
    undefined,
  ])
  expect(await refusal({ parseIoAsJson: true })).toMatchObject(['request', expect.stringContaining('parseIoAsJson'), undefined])
  expect(await refusal({ limit: 1_001 })).toMatchObject(['shape', expect.anything(), 'limit'])
  expect(await refusal({ cursor: 'x' })).toEqual(['request', 'Invalid cursor format', undefined])
  await insertRows(columnStore, 'events_full', [row('p', '1'), row('p', '2')])
  const { cursor = '' } = (await list({ limit: 1 })).meta
  expect(await refusal({ cursor, name: 'n' })).toMatchObject(['request', expect.stringContaining('different filters'), undefined])
  expect([await list({ limit: 0 }), await list({ limit: 1, cursor, fields: 'io' })]).toMatchObject([
    { data: [], meta: {} },
    { data: [{ id: '1' }] },
  ])
})

test('pages together list each observation once, in order, in its newest version', async () => {
  const version = fc.record({
    span: fc.integer({ min: 0, max: 7 }).map(String),
    trace: fc.constantFrom('a', 'b', 'c'),
    offset: fc.constantFrom(0n, 1n, 999n, 1_000_000n),
    event: fc.integer({ min: 0, max: 2 }),
    name: fc.constantFrom('x', 'y'),
    isDeleted: fc.integer({ min: 0, max: 4 }).map(n => n === 0),
  })
  let projects = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(version, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 5 }),
      async (parts, limit) => {
        const project_id = `pages ${projects++}`
        for (const part of parts) {
          await insertRows(
            columnStore,
            'events_full',
            part.map(({ span, trace, offset, event, name, isDeleted }) => ({
              ...{
                project_id,
                span_id: span,
                trace_id: trace,
                start_time: stored(at + offset),
                event_ts: stored(at + BigInt(event)),
                name,
              },
              is_deleted: isDeleted ? 1 : 0,
            })),
          )
        }
        const hashes = await columnStore.query<{ trace: string; hash: number }>(
          "SELECT arrayJoin(['a', 'b', 'c']) AS trace, xxHash32(trace) AS hash",
        )
        const hashOf = new Map(hashes.map(({ trace, hash }) => [trace, hash]))
        const newest = new Map<string, (typeof versions)[number]>()
        const versions = parts.flat()
        for (const each of versions) {
          const key = `${each.offset} ${each.trace} ${each.span}`
          if ((newest.get(key)?.event ?? -1) <= each.event) newest.set(key, each)
        }
        const expected = [...newest.values()]
          .filter(({ isDeleted }) => !isDeleted)
          .sort((a, b) => Number(b.offset - a.offset) || hashOf.get(b.trace)! - hashOf.get(a.trace)! || (a.span < b.span ? 1 : -1))
        for (const filter of [{}, { name: 'x' }, { traceId: 'a' }, { traceId: 'a', name: 'x' }] as readonly ObservationsQuery[]) {
          const rows: string[] = []
          for (let cursor: string | undefined; ; ) {
            const page = await list({ limit, ...filter, cursor }, project_id)
            rows.push(...page.data.map(({ traceId, id, name }) => `${traceId} ${id} ${name}`))
            expect(page.data.length).toBeLessThanOrEqual(limit)
            cursor = page.meta.cursor
            if (cursor === undefined) break
            expect(page.data.length).toBeGreaterThan(0)
          }
          expect(rows).toEqual(
            expected
              .filter(each => (filter.name ?? each.name) === each.name && (filter.traceId ?? each.trace) === each.trace)
              .map(({ trace, span, name }) => `${trace} ${span} ${name}`),
          )
        }
      },
    ),
    { numRuns: sized(5, 3), endOnFailure: true },
  )
})

test('searches find whole words of long texts, and conditions read long metadata completely', async () => {
  const text = `${'padding '.repeat(60)}The-Needle_é here`
  await insertRows(columnStore, 'events_full', [
    row('search', '1', { input: text, metadata_names: ['k'], metadata_values: [text], metadata_types: [0] }),
    row('search', '2', { input: 'needles', output: 'the needle', metadata_names: ['k'], metadata_values: ['needle'], metadata_types: [0] }),
  ])
  const of = (...conditions: readonly object[]) => ids({ filter: JSON.stringify(conditions) }, 'search')
  const onText = (column: string, operator: string, value: string) => ({ type: 'string', column, operator, value })
  const onKey = (operator: string, value: string) => ({ type: 'stringObject', column: 'metadata', key: 'k', operator, value })
  expect(await of(onText('input', 'matches', 'the-needle_É'.toLowerCase()))).toEqual(['1'])
  expect([await of(onText('input', 'matches', 'need')), await of(onText('output', 'matches', 'NEEDLE'))]).toEqual([[], ['2']])
  expect(await of(onText('input', '=', text), onText('input', 'contains', 'Needle'))).toEqual(['1'])
  expect([await of(onKey('contains', 'Needle')), await of(onKey('=', text)), await of(onKey('ends with', 'here'))]).toEqual([
    ['1'],
    ['1'],
    ['1'],
  ])
  expect([await of(onKey('does not contain', 'Needle')), await of(onKey('=', 'needle')), await of(onKey('matches', 'needle'))]).toEqual([
    ['2'],
    ['2'],
    ['2'],
  ])
})

test('paging over a thousand rows of one time returns each once, while other rows arrive', async () => {
  const walked = (id: string, start = at) =>
    row('walk', '0', { span_id: id, trace_id: `trace-${id}`, start_time: stored(start), name: 'walked' })
  const old = Array.from({ length: 1_000 }, (_, i) => `old-${i}`)
  const oldRows = old.map(id => walked(id))
  await insertRows(columnStore, 'events_full', oldRows)
  const seen: string[] = []
  let arrived = 0
  for (let cursor: string | undefined; ; ) {
    const page = await list({ limit: 130, cursor, name: 'walked' }, 'walk')
    seen.push(...page.data.map(({ id }) => id))
    cursor = page.meta.cursor
    if (cursor === undefined) break
    const query = { limit: 130, cursor, name: 'other' }
    if (arrived === 0)
      await expect(list(query, 'walk')).rejects.toMatchObject({
        name: 'InvalidQuery',
        message: expect.stringContaining('different filters'),
      })
    const times = [at, at + 1n, at - 1n]
    const arriving = Array.from({ length: 30 }, (_, i) => walked(`new-${arrived++}`, times[i % 3]))
    await insertRows(columnStore, 'events_full', arriving)
  }
  expect(new Set(seen).size).toBe(seen.length)
  expect(seen.filter(id => id.startsWith('old-')).sort()).toEqual(old.toSorted())
})

test('lists can be filtered by every field of a response', async () => {
  const fields = 'core,basic,time,io,metadata,model,usage,prompt,metrics,trace_context'
  const [shown] = (await list({ fields, expandMetadata: '*' }, 'whole')).data
  const conditions = Object.entries(shown!).flatMap(([column, value]) => filtersOf(column, value).map(each => [column, each] as const))
  expect(new Set(conditions.map(([column]) => column))).toEqual(new Set(Object.keys(ObservationV2.shape)))
  // Searched columns reject conditions of type `null`, because a missing value is an empty text in these columns.
  const taken = conditions.filter(([column]) => column !== 'output')
  const found = async (...filter: readonly object[]) => [filter, await ids({ filter: JSON.stringify(filter) }, 'whole')]
  // A query finds the row only if the row meets every condition of the query.
  for (let from = 0; from < taken.length; from += 10) {
    const passing = taken.slice(from, from + 10).map(([, [passes]]) => passes)
    expect(await found(...passing)).toEqual([passing, ['s']])
  }
  for (const [, [, fails]] of taken) expect(await found(fails)).toEqual([[fails], []])
})
