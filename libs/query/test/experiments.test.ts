import type { ColumnStore } from '@svc-server/column-store/port'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listExperimentItems, listExperiments } from '../src/experiments/index.ts'
import { insertRows, openEngine, stored, type TestEngine } from './engine.ts'

let engine: TestEngine
let columnStore: ColumnStore

const start = BigInt(Date.UTC(2026, 1, 1, 10)) * 1000n
const minute = 60_000_000n
const day = 24n * 60n * minute

const span = (experiment_id: string, trace_id: string, span_id: string, after: bigint, row: object = {}) => ({
  ...{ project_id: 'p', experiment_id, trace_id, span_id, parent_span_id: '', name: 'task', level: 'DEFAULT', event_ts: stored(start) },
  ...{ experiment_item_root_span_id: span_id, experiment_item_id: `item ${trace_id}`, experiment_name: `name ${experiment_id}` },
  ...{ start_time: stored(start + after), ...row },
})
const score = (id: string, row: object) => ({
  ...{ id, project_id: 'p', name: 'q', source: 'API', data_type: 'NUMERIC', value: 1, is_deleted: 0, event_ts: '2026-02-01 10:00:00' },
  ...{ timestamp: stored(start).slice(0, 23), ...row },
})
const at = (after: bigint) => stored(start + after).slice(0, 23)

beforeAll(async () => {
  engine = await openEngine()
  columnStore = engine.columnStore
  await insertRows(columnStore, 'events_full', [
    span('old', 't1', 's', 0n, {
      ...{ end_time: stored(start + 90_000_000n), experiment_dataset_id: 'd1', experiment_description: 'first', environment: 'prod' },
      ...{ experiment_metadata_names: ['model', 'n'], experiment_metadata_values: ['gpt', '5'], input: 'i'.repeat(500), output: 'out' },
      ...{ experiment_item_expected_output: 'expected', experiment_item_version: stored(start), level: 'ERROR' },
      ...{ experiment_item_metadata_names: ['row'], experiment_item_metadata_values: ['1'], metadata_names: ['k'] },
      ...{ metadata_values: ['v'.repeat(300)], metadata_types: [0] },
    }),
    span('old', 't1', 'child', minute, { experiment_item_root_span_id: 's', parent_span_id: 's', experiment_name: 'renamed' }),
    span('old', 't2', 's', 2n * minute, { experiment_name: '', experiment_dataset_id: '' }),
    span('new', 't3', 's3', 3n * minute, { event_ts: stored(start - 1n), experiment_name: 'superseded' }),
    span('new', 't3', 's3', 3n * minute),
    // This experiment and the newest experiment started at the same time. The ids therefore determine the order of these two experiments.
    span('also new', 't4', 's4', 3n * minute, { end_time: stored(start) }),
    span('deleted', 't5', 's5', 4n * minute, { is_deleted: 1 }),
    span('', 't6', 's6', 5n * minute, { experiment_item_root_span_id: '' }),
    span('far', 't7', 's7', -40n * day),
  ])
  await insertRows(columnStore, 'scores', [
    score('of old', { dataset_run_id: 'old', value: 3 }),
    score('of old, too', { dataset_run_id: 'old', timestamp: at(minute) }),
    score('too early', { dataset_run_id: 'old', timestamp: at(-2n * day) }),
    score('correction', { dataset_run_id: 'old', data_type: 'CORRECTION', long_string_value: 'c' }),
    score('of span', { trace_id: 't1', observation_id: 's', timestamp: at(minute) }),
    score('of trace', { trace_id: 't1' }),
    score('of child', { trace_id: 't1', observation_id: 'child' }),
    score('of a span of that name', { trace_id: 't2', observation_id: 's' }),
  ])
})
afterAll(() => engine[Symbol.asyncDispose]())

const from = { fromStartTime: '2026-02-01T00:00:00Z' }
const list = (query: object = {}) => listExperiments(columnStore, { projectId: 'p', query: { ...from, ...query }, signal: undefined })
const items = (query: object = {}) => listExperimentItems(columnStore, { projectId: 'p', query: { ...from, ...query }, signal: undefined })
const iso = (after: bigint) => new Date(Number((start + after) / 1000n)).toISOString()
const filter = (column: string, value: string) => JSON.stringify([{ type: 'string', column, operator: '=', value }])

test('pages list each experiment once, the latest activity first', async () => {
  const old = {
    id: 'old',
    name: 'renamed',
    description: 'first',
    startTime: iso(0n),
    endTime: iso(90_000_000n),
    itemCount: 2,
    datasetId: 'd1',
  }
  const rest = { description: null, startTime: iso(3n * minute), endTime: iso(3n * minute), itemCount: 1, datasetId: null }
  const all = [{ id: 'new', name: 'name new', ...rest }, { id: 'also new', name: 'name also new', ...rest }, old]
  expect(await list()).toEqual({ data: all, meta: {} })
  const found: unknown[] = []
  for (let cursor: string | undefined, pages = 0; pages < 3; pages++) {
    const page = await list({ limit: 1, cursor })
    found.push(...page.data)
    cursor = page.meta.cursor
    expect(cursor === undefined).toBe(pages === 2)
  }
  expect(found).toEqual(all)
  expect((await list({ toStartTime: iso(2n * minute) })).data).toEqual([{ ...old, itemCount: 1 }])
})

test('filters experiments by parameters and by filter conditions', async () => {
  const ids = async (query: object) => (await list(query)).data.map(({ id }) => id)
  expect([await ids({ id: 'old, new' }), await ids({ name: 'renamed' }), await ids({ datasetId: 'd1' })]).toEqual([
    ['new', 'old'],
    ['old'],
    ['old'],
  ])
  expect([
    await ids({ name: 'name old' }),
    await ids({ id: 'old', filter: filter('ID', 'new') }),
    await ids({ id: 'old', filter: filter('name', 'name new') }),
  ]).toEqual([[], ['new'], []])
})

test('returns metadata and scores of experiments', async () => {
  const { data } = await list({ fields: 'metadata,scores', id: 'old,new' })
  const subject = { kind: 'experiment', id: 'old' }
  expect(data.map(({ metadata }) => metadata)).toEqual([{}, { model: 'gpt', n: '5' }])
  expect(data.map(({ scores }) => scores)).toMatchObject([
    [],
    [
      { id: 'of old, too', subject },
      { id: 'of old', value: 3, subject },
    ],
  ])
  expect((await list({ fields: 'scores', id: 'old', scoreLimit: 1 })).data).toMatchObject([{ scores: [{ id: 'of old, too' }] }])
})

test('lists one item per span, newest first', async () => {
  const { data, meta } = await items({ experimentId: 'old' })
  expect(meta).toEqual({})
  expect(data).toEqual([
    {
      ...{
        id: 's',
        traceId: 't2',
        startTime: iso(2n * minute),
        endTime: null,
        level: 'DEFAULT',
        environment: 'default',
        experimentId: 'old',
      },
      ...{ experimentName: '', experimentItemId: 'item t2', experimentDatasetId: null, experimentItemVersion: null },
    },
    {
      ...{
        id: 's',
        traceId: 't1',
        startTime: iso(0n),
        endTime: iso(90_000_000n),
        level: 'ERROR',
        environment: 'prod',
        experimentId: 'old',
      },
      ...{ experimentName: 'name old', experimentItemId: 'item t1', experimentDatasetId: 'd1', experimentItemVersion: iso(0n) },
    },
  ])
  const first = await items({ limit: 2 })
  const second = await items({ limit: 2, cursor: first.meta.cursor })
  expect([...first.data, ...second.data].map(({ traceId }) => traceId).sort()).toEqual(['t1', 't2', 't3', 't4'])
  expect([first.data.length, second.meta]).toEqual([2, {}])
  const traces = async (query: object) => (await items(query)).data.map(({ traceId }) => traceId)
  expect([
    await traces({ experimentName: 'name new' }),
    await traces({ experimentItemId: 'item t1' }),
    await traces({ datasetId: 'd1' }),
  ]).toEqual([['t3'], ['t1'], ['t1']])
  expect(await traces({ experimentId: 'old', filter: filter('experimentId', 'new') })).toEqual(['t3'])
})

test('returns the selected groups of items', async () => {
  const [row] = (await items({ experimentItemId: 'item t1', fields: 'io,metadata,itemMetadata,experimentMetadata,scores' })).data
  expect(row).toMatchObject({
    ...{
      input: 'i'.repeat(500),
      output: 'out',
      expectedOutput: 'expected',
      metadata: { k: 'v'.repeat(300) },
      experimentItemMetadata: { row: '1' },
    },
    ...{ experimentMetadata: { model: 'gpt', n: '5' }, experimentDescription: 'first' },
    scores: [
      { id: 'of span', subject: { kind: 'observation', id: 's', traceId: 't1' } },
      { id: 'of trace', subject: { kind: 'trace', id: 't1' } },
    ],
  })
  expect(row).not.toHaveProperty('experimentDatasetId')
  const { data } = await items({ experimentId: 'old', fields: 'scores', scoreLimit: 1 })
  expect(data.map(({ scores }) => scores)).toMatchObject([[{ id: 'of a span of that name' }], [{ id: 'of span' }]])
})

describe('rejects', () => {
  test.each([
    ['an unknown group', { fields: 'core,io' }, 'shape', 'fields'],
    ['a limit of 0', { limit: 0 }, 'shape', 'limit'],
    ['more than 50 scores', { scoreLimit: 51 }, 'shape', 'scoreLimit'],
    ['a cursor of nobody', { cursor: 'eyJ2IjoxfQ' }, 'request', undefined],
    ['another column', { filter: filter('level', 'ERROR') }, 'request', undefined],
    ['another type', { filter: JSON.stringify([{ type: 'number', column: 'name', operator: '=', value: 1 }]) }, 'request', undefined],
  ])('%s', async (_, query, kind, path) => {
    await expect(list(query)).rejects.toMatchObject({ name: 'InvalidQuery', kind, issues: path === undefined ? [] : [{ path: [path] }] })
  })
})
