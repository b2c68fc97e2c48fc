// The test rows for the requests of contract §18.2 and §20.8.
import { expect } from 'vitest'
import { badPages, good, type Row, refused, refusedAt } from './rows.ts'

const dataset = { name: 'folder/set', description: 'd', metadata: { a: [1] }, inputSchema: { type: 'object' }, expectedOutputSchema: null }
const item = { datasetName: 'folder/set', id: 'item-1', input: { q: 1 }, expectedOutput: 'yes', metadata: { m: null } }
const at = '/v2/datasets/folder%2Fset'
const runItem = { runName: 'run 1', datasetItemId: 'item-1', traceId: 't' }

export const datasetRows: readonly Row[] = [
  good('POST /v2/datasets', dataset, { ...dataset, projectId: 'project-0' }, { as: 'dataset' }),
  good('POST /v2/datasets', { name: 'folder/set' }, { ...dataset, id: '{dataset}' }),
  good('POST /v2/datasets', { name: 'folder/set', description: 'e' }, { ...dataset, description: 'e', id: '{dataset}' }),
  good(`GET ${at}`, undefined, { id: '{dataset}', description: 'e' }),
  good('POST /v2/datasets', { name: 'plain' }, { description: null, metadata: null, inputSchema: null, expectedOutputSchema: null }),
  good('GET /v2/datasets?limit=1', undefined, { data: [{ name: 'plain' }], meta: { page: 1, limit: 1, totalItems: 2, totalPages: 2 } }),
  ...refused('POST /v2/datasets', 400, dataset, [
    { name: undefined },
    { name: '' },
    { name: 1 },
    { inputSchema: 'text' },
    { inputSchema: { type: 'nothing' } },
    { expectedOutputSchema: { properties: 1 } },
    { description: 1 },
  ]),
  ...refusedAt('GET /v2/datasets', 400, badPages),
  { request: 'GET /v2/datasets/none', status: 404, says: { message: 'Dataset not found' } },
  { request: `GET ${at}`, status: 404, by: 'other' },

  good('POST /dataset-items', item, {
    ...item,
    ...{ status: 'ACTIVE', sourceTraceId: null, sourceObservationId: null, datasetId: '{dataset}', mediaReferences: [] },
  }),
  good('POST /dataset-items', { datasetName: 'folder/set', id: 'item-1', input: null, metadata: 2 }, { ...item, metadata: 2 }),
  good('POST /dataset-items', { datasetName: 'plain' }, { input: null, expectedOutput: null, metadata: null, id: expect.any(String) }),
  good(
    'POST /dataset-items',
    { datasetName: 'plain', id: 'x'.repeat(255), sourceTraceId: 'a', sourceObservationId: 'b', status: 'ARCHIVED', input: false },
    { sourceTraceId: 'a', sourceObservationId: 'b', status: 'ARCHIVED', input: false },
  ),
  good(`GET /dataset-items/${'x'.repeat(255)}`, undefined, { status: 'ARCHIVED' }),
  good('GET /dataset-items?datasetName=plain', undefined, { data: [{ status: 'ACTIVE' }], meta: { totalItems: 1 } }),
  good('GET /dataset-items?sourceTraceId=a', undefined, { data: [] }),
  good('GET /dataset-items?datasetName=plain&version=2020-01-01T00:00:00Z', undefined, { data: [] }),
  ...refused('POST /dataset-items', 400, item, [
    { datasetName: undefined },
    { id: 'x'.repeat(256) },
    { status: 'GONE' },
    { sourceTraceId: 1 },
  ]),
  {
    request: 'POST /dataset-items',
    body: { ...item, input: 'text' },
    status: 400,
    says: { message: expect.stringMatching(/^Dataset item validation failed/) },
  },
  { request: 'POST /dataset-items', body: { ...item, datasetName: 'none' }, status: 404 },
  { request: 'POST /dataset-items', body: { ...item, datasetName: 'plain' }, status: 409 },
  {
    request: 'POST /dataset-items',
    body: { datasetName: 'plain', input: '@@@svcMedia:type=image/png|id=AAAAAAAAAAAAAAAAAAAAAA|source=bytes@@@' },
    status: 400,
  },
  { request: 'POST /v2/datasets', body: { name: 'folder/set', inputSchema: { type: 'array' } }, status: 400 },
  ...refusedAt('GET /dataset-items', 400, [...badPages, '?version=2026-01-01T00:00:00Z', '?datasetName=plain&version=yesterday']),
  { request: 'GET /dataset-items?datasetName=none', status: 404, says: { message: 'Dataset not found' } },
  { request: 'GET /dataset-items/none', status: 404, says: { message: 'Dataset item not found' } },
  { request: 'GET /dataset-items/item-1', status: 404, by: 'other' },
  { request: 'DELETE /dataset-items/item-1', status: 404, by: 'other' },

  good('POST /dataset-run-items', runItem, { datasetRunName: 'run 1', datasetItemId: 'item-1', traceId: 't', observationId: null }),
  ...refused('POST /dataset-run-items', 400, runItem, [
    { runName: undefined },
    { datasetItemId: undefined },
    { traceId: undefined },
    { nobody: 1 },
  ]),
  { request: 'POST /dataset-run-items', body: { ...runItem, datasetItemId: 'none' }, status: 404 },
  good('GET /datasets/folder%2Fset/runs', undefined, { data: [{ name: 'run 1', description: null, datasetName: 'folder/set' }] }),
  good('GET /datasets/folder%2Fset/runs/run%201', undefined, { name: 'run 1', datasetRunItems: expect.any(Array) }),
  ...refusedAt('GET /dataset-run-items', 400, ['', '?datasetId={dataset}', '?runName=a']),
  ...refusedAt('GET /datasets/folder%2Fset/runs', 400, badPages),
  ...refusedAt('GET /datasets', 404, ['/none', '/none/runs', '/plain/runs/none']),
  { request: 'DELETE /datasets/plain/runs/none', status: 404 },
  good('DELETE /datasets/folder%2Fset/runs/run%201', undefined, { message: 'Dataset run successfully deleted' }),
  good('POST /datasets', { name: 'old' }, { name: 'old', items: [], runs: [] }),
  good('GET /datasets/folder%2Fset', undefined, { items: [{ id: 'item-1' }], runs: expect.any(Array) }),
  good('GET /datasets', undefined, { meta: { page: 1, limit: 50 } }),

  good('DELETE /dataset-items/item-1', undefined, { message: 'Dataset item successfully deleted' }),
  { request: 'DELETE /dataset-items/item-1', status: 404 },
  { request: 'GET /dataset-items/item-1', status: 404 },
]
