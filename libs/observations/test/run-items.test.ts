// A span keeps the experiment that its own attributes name.
import type { RunItemFill } from '@svc-server/schema/run-item-fill'
import { encodeTraceRequest } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { explainRequest } from '../src/block/explain.ts'
import { jsonLeaves } from '../src/columns/metadata/json-leaves.ts'
import { receivedAtMs, requestOf } from './mapped-rows.ts'

const spanId = '00f067aa0ba902b7'
const item: RunItemFill = {
  runId: 'run',
  runName: 'nightly',
  datasetId: 'dataset',
  itemId: 'item',
  itemVersionMs: Date.UTC(2026, 0, 2),
  rootSpanId: spanId,
  runDescription: 'all of them',
  runMetadata: '{"model":{"name":"large"},"tries":3}',
  expectedOutput: '"42"',
  itemMetadata: '["a",1]',
  spans: null,
}

const none = {
  experiment_id: '',
  experiment_name: '',
  experiment_description: '',
  experiment_dataset_id: '',
  experiment_item_id: '',
  experiment_item_expected_output: '',
  experiment_item_root_span_id: '',
  experiment_item_version: null,
  experiment_metadata_names: [],
  experiment_metadata_values: [],
  experiment_item_metadata_names: [],
  experiment_item_metadata_values: [],
}

function cellsOf(runItems: readonly RunItemFill[] | null, attributes: Record<string, string> = {}) {
  const request = encodeTraceRequest(requestOf(attributes, { span: { spanId } }))
  const { spans, rejected } = explainRequest(request, { nowMs: receivedAtMs, runItems })
  expect(rejected).toEqual([])
  return Object.fromEntries(Object.keys(none).map(name => [name, spans[0]!.columns[name]!.value]))
}

const small = { experiment_id: 'run', experiment_name: 'nightly', experiment_dataset_id: 'dataset', experiment_item_id: 'item' }

test('the root of an item has all item data, and other spans only the ids of run and item', () => {
  const version = cellsOf([item])['experiment_item_version']
  expect(version).not.toBe(null)
  expect(cellsOf([item])).toEqual({
    ...small,
    experiment_description: 'all of them',
    experiment_item_expected_output: '"42"',
    experiment_item_root_span_id: spanId,
    experiment_item_version: version,
    experiment_metadata_names: ['model.name', 'tries'],
    experiment_metadata_values: ['large', '3'],
    experiment_item_metadata_names: ['0', '1'],
    experiment_item_metadata_values: ['a', '1'],
  })
  const other = { ...item, rootSpanId: 't-trace' }
  expect(cellsOf([other])).toEqual({ ...none, ...small, experiment_item_root_span_id: 't-trace', experiment_item_version: version })
})

test('a span belongs to the item that names its position, else to the item of the whole record, else to none', () => {
  const ofSome = { ...item, itemId: 'of some', spans: [0] }
  const ofOthers = { ...item, itemId: 'of others', spans: [1, 2] }
  const itemIdOf = (items: readonly RunItemFill[] | null) => cellsOf(items)['experiment_item_id']
  expect([[ofSome, item], [item, ofSome], [ofOthers, item], [ofOthers], [], null].map(itemIdOf)).toEqual([
    'of some',
    'of some',
    'item',
    '',
    '',
    '',
  ])
})

test('a span with any experiment attribute keeps its own values, and none are mixed in', () => {
  const own = { 'svc.experiment.id': 'own', 'svc.experiment.metadata': '{"a":1}' }
  expect(cellsOf([item], own)).toEqual({
    ...none,
    experiment_id: 'own',
    experiment_metadata_names: ['a'],
    experiment_metadata_values: ['1'],
  })
})

test('JSON other than an object or list is one leaf, and null is no leaf', () => {
  expect([...jsonLeaves('m', '"text"')]).toEqual([['m', 'text']])
  expect([...jsonLeaves('m', '1.50')]).toEqual([['m', '1.50']])
  expect([...jsonLeaves('m', 'no json')]).toEqual([['m', 'no json']])
  expect([...jsonLeaves('m', 'null')]).toEqual([])
  expect([...jsonLeaves('m', null)]).toEqual([])
})
