import { TraceTree } from '@svc-server/api/web-traces/types'
import type { ColumnStore } from '@svc-server/column-store/port'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readObservation, readSlice, readTraceTree, searchTrace, treeText } from '../src/trace/index.ts'
import { insertRows, openEngine, stored, type TestEngine } from './engine.ts'

let engine: TestEngine
let columnStore: ColumnStore

const at = BigInt(Date.UTC(2026, 0, 31, 23, 59, 59)) * 1_000n
const span = (trace: string, id: string, startUs: bigint, more: object = {}) => ({
  ...{ project_id: 'p', trace_id: trace, span_id: id, name: id, type: 'SPAN', level: 'DEFAULT', environment: 'default' },
  ...{ start_time: stored(at + startUs), end_time: stored(at + startUs + 5n), event_ts: stored(at) },
  ...more,
})
const long = `${'é'.repeat(300)} needle ${'x'.repeat(100)}`
const rows = [
  span('t', 'root', 0n, {
    ...{ end_time: stored(at + 3_000_000n), name: 'agent', type: 'AGENT', trace_name: 'answer', user_id: 'u', session_id: 's' },
    ...{ tags: ['b', 'a'], metadata_names: ['k', 'n'], metadata_values: ['v', '12345678901234567890'], metadata_types: [0, 1] },
  }),
  span('t', 'chat', 1_000n, {
    ...{ parent_span_id: 'root', type: 'GENERATION', level: 'ERROR', status_message: 'timeout', provided_model_name: 'gpt' },
    ...{ usage_details: { input: 10, output: 5, total: 15 }, cost_details: { total: 0.1 }, input: long, output: 'short' },
    ...{ completion_start_time: stored(at + 1_002n), tool_definitions: { search: '{"a":1}' }, tags: ['c'] },
  }),
  span('t', 'runs', 2_000n, { parent_span_id: 'chat', end_time: null, cost_details: { total: 0.2 } }),
  span('t', 'orphan', 3_000n, { parent_span_id: 'nowhere', bookmarked: true, public: true }),
  span('t', 'other', 3_000n, { project_id: 'q' }),
  ...Array.from({ length: 20_001 }, (_, n) => span('large', `s${n}`, BigInt(n % 7_000), { parent_span_id: n === 0 ? '' : 's0' })),
]

beforeAll(async () => {
  engine = await openEngine()
  columnStore = engine.columnStore
  await columnStore.command('SYSTEM STOP MERGES events_full')
  await columnStore.command('SYSTEM STOP MERGES events_core')
  await insertRows(columnStore, 'events_full', rows)
  // If a row has two versions, the trace counts the row once.
  await insertRows(columnStore, 'events_full', [
    span('large', 's1', 1n, { event_ts: stored(at + 1n), parent_span_id: 's0', name: 'newer' }),
  ])
})
afterAll(() => engine[Symbol.asyncDispose]())

async function treeOf(traceId: string, open: readonly string[] = [], most?: number) {
  const tree = await readTraceTree(columnStore, { ...asked, open, traceId })
  return TraceTree.parse(JSON.parse(treeText(tree!, most)))
}

const asked = { projectId: 'p', traceId: 't', signal: undefined }

test('a tree has its rows column by column, and sums over all rows', async () => {
  const { texts, columns, missing, keySets, trace } = await treeOf('t')
  expect(trace).toEqual({
    ...{ id: 't', observations: 4, errors: 1, running: 1, startUs: Number(at), endUs: Number(at) + 3_000_000 },
    ...{ cost: 0.3, inputTokens: 10, outputTokens: 5, name: 'answer', userId: 'u', sessionId: 's', release: null, version: null },
    ...{ environment: 'default', tags: ['a', 'b', 'c'], bookmarked: true, public: true },
  })
  const said = (list: readonly number[]) => list.map(each => texts[each])
  expect(columns.ids).toEqual(['root', 'chat', 'runs', 'orphan'])
  expect(columns.parents).toEqual([-1, 0, 1, -2])
  expect(missing).toEqual(['nowhere'])
  expect(said(columns.names)).toEqual(['agent', 'chat', 'runs', 'orphan'])
  expect(said(columns.types)).toEqual(['AGENT', 'GENERATION', 'SPAN', 'SPAN'])
  expect(said(columns.levels)).toEqual(['DEFAULT', 'ERROR', 'DEFAULT', 'DEFAULT'])
  expect(said(columns.messages)).toEqual(['', 'timeout', '', ''])
  expect(keySets.map(said)).toEqual([['k', 'n'], []])
  expect(columns.starts).toEqual([0, 1_000, 1_000, 1_000])
  expect(columns.durations).toEqual([3_000_000, 5, null, 5])
  expect(columns.firstTokens).toEqual([null, 2, null, null])
  expect(columns.costs).toEqual([null, 0.1, 0.2, null])
  expect([columns.inputTokens, columns.totalTokens]).toEqual([
    [0, 10, 0, 0],
    [null, 15, null, null],
  ])
})

test('a tree of many rows contains each row once, in order', async () => {
  const tree = await treeOf('large')
  expect(tree.columns.ids).toHaveLength(20_001)
  expect(new Set(tree.columns.ids).size).toBe(20_001)
  expect(tree.trace.observations).toBe(20_001)
  expect(tree.columns.starts.every(start => start >= 0)).toBe(true)
  expect(tree.columns.parents.filter(parent => parent !== 0)).toEqual([-1])
  expect(tree.texts[tree.columns.names[tree.columns.ids.indexOf('s1')]!]).toBe('newer')
})

test('a tree with more rows than are sent has its top, and the children of opened rows', async () => {
  const top = await treeOf('t', [], 2)
  expect(top.columns.ids).toEqual(['root', 'orphan'])
  expect(top.trace.observations).toBe(4)
  expect(top.hidden).toEqual({ rows: [0], observations: [2], costs: [expect.closeTo(0.3)], tokens: [15], errors: [1] })
  const opened = await treeOf('t', ['chat'], 3)
  expect(opened.columns.ids).toEqual(['root', 'chat', 'runs'])
  expect(opened.columns.parents).toEqual([-1, 0, 1])
  expect(opened.columns.starts).toEqual([0, 1_000, 1_000])
  expect((await treeOf('large', [], 1_000)).hidden).toMatchObject({ rows: [0], observations: [20_001 - 1_000] })
})

test('returns undefined for a missing trace, observation or slice', async () => {
  expect(await readTraceTree(columnStore, { ...asked, open: [], projectId: 'nobody' })).toBeUndefined()
  expect(await readObservation(columnStore, { ...asked, observationId: 'other' })).toBeUndefined()
  expect(await readSlice(columnStore, { ...asked, observationId: 'x', field: 'input', offset: 0, limit: 9 })).toBeUndefined()
})

test('a search ignores case and finds text that lists truncate', async () => {
  const { matches, isCut } = await searchTrace(columnStore, { ...asked, text: 'NEEDLE' })
  expect(matches).toEqual([{ id: 'chat', field: 'input', offset: 301, excerpt: expect.stringContaining(' needle x') }])
  expect(isCut).toBe(false)
  expect((await searchTrace(columnStore, { ...asked, text: 'time' })).matches).toMatchObject([{ field: 'statusMessage', offset: 0 }])
  expect((await searchTrace(columnStore, { ...asked, text: '345' })).matches).toMatchObject([{ id: 'root', field: 'metadata', offset: 2 }])
  expect((await searchTrace(columnStore, { ...asked, text: "'; DROP TABLE x" })).matches).toEqual([])
})

test('returns details, with numbers in their original digits', async () => {
  const root = (await readObservation(columnStore, { ...asked, observationId: 'root' }))!
  expect(root.metadata).toEqual([
    { name: 'k', text: 'v', type: 0, length: 1 },
    { name: 'n', text: '12345678901234567890', type: 1, length: 20 },
  ])
  const chat = (await readObservation(columnStore, { ...asked, observationId: 'chat' }))!
  expect(chat).toMatchObject({
    level: 'ERROR',
    inputLength: 408,
    output: 'short',
    toolDefinitions: [{ name: 'search', definition: '{"a":1}' }],
  })
  expect(chat.usageDetails).toEqual({ input: 10, output: 5, total: 15 })
})

test('the slices of a field together are the whole text', async () => {
  let text = ''
  for (let offset: number | null = 0; offset !== null; ) {
    const slice: { readonly text: string; readonly next: number | null } = (await readSlice(columnStore, {
      ...asked,
      observationId: 'chat',
      field: 'input',
      offset,
      limit: 150,
    }))!
    text += slice.text
    offset = slice.next
  }
  expect(text).toBe(long)
  const metadata = await readSlice(columnStore, { ...asked, observationId: 'root', field: 'metadata', offset: 0, limit: 150 })
  expect(JSON.parse(metadata!.text)).toEqual({ k: 'v', n: '12345678901234567890' })
})
