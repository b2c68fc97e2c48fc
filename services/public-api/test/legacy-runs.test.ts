// Tests dataset runs on a real engine and a real relational store (contract §20.8).
import { afterAll, beforeAll, expect, test } from 'vitest'
import { datasetId, type OpenedDatasets, openDatasets } from './datasets.ts'
import { type ApiOnEngine, startOnEngine } from './on-engine.ts'

const at = (second: number) => `2026-11-01 00:00:0${second}.000`
const item = (id: string, second: number, more: object = {}) => ({
  ...{ id, project_id: 'project-0', dataset_id: datasetId, dataset_run_id: 'run-1', dataset_run_name: 'a/run', dataset_item_id: 'item-1' },
  ...{ trace_id: `trace-${id}`, created_at: at(second), updated_at: at(second), event_ts: at(second) },
  ...more,
})
const items = [
  item('i1', 1),
  item('i2', 2, { observation_id: 'o' }),
  item('gone', 3),
  item('gone', 4, { is_deleted: 1 }),
  item('i3', 5, { dataset_run_id: 'run-2' }),
  item('other', 6, { project_id: 'project-other' }),
]

let datasets: OpenedDatasets
let opened: ApiOnEngine
beforeAll(async () => {
  datasets = await openDatasets()
  const run = { project_id: 'project-0', dataset_id: datasetId, metadata: '{"a":1}' }
  await datasets.store.db
    .insertInto('dataset_runs')
    .values([
      { ...run, id: 'run-1', name: 'a/run', created_at: new Date('2026-11-01T00:00:00.000Z') },
      { ...run, id: 'run-2', name: 'second', created_at: new Date('2026-11-02T00:00:00.000Z') },
    ])
    .execute()
  const env = { SVC_MIGRATION_V4_WRITE_MODE: 'dual', SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR: 'dual_write' }
  opened = await startOnEngine(
    columnStore =>
      columnStore.command(`INSERT INTO dataset_run_items_rmt FORMAT JSONEachRow ${items.map(row => JSON.stringify(row)).join('\n')}`),
    { env, relational: datasets.store },
  )
})
afterAll(async () => {
  await opened.close()
  await datasets[Symbol.asyncDispose]()
})

const send = (method: string, path: string) => opened.api.send(method, `/api/public/${path}`)
const runs = `datasets/${encodeURIComponent('a/dataset')}/runs`

test('lists the runs of a dataset, newest first', async () => {
  const { status, json } = await send('GET', runs)
  expect([status, json.meta]).toEqual([200, { page: 1, limit: 50, totalItems: 2, totalPages: 1 }])
  expect(json.data.map(({ name }: { name: string }) => name)).toEqual(['second', 'a/run'])
  expect(json.data[1]).toMatchObject({ id: 'run-1', description: null, metadata: { a: 1 }, datasetId, datasetName: 'a/dataset' })
  expect((await send('GET', 'datasets/unknown/runs')).status).toBe(404)
})

test('returns a run with its items, whether its name is encoded once or twice', async () => {
  for (const name of [encodeURIComponent('a/run'), encodeURIComponent(encodeURIComponent('a/run'))]) {
    const { status, json } = await send('GET', `${runs}/${name}`)
    expect(status).toBe(200)
    expect(json.datasetRunItems).toMatchObject([
      { id: 'i2', datasetRunId: 'run-1', datasetRunName: 'a/run', datasetItemId: 'item-1', traceId: 'trace-i2', observationId: 'o' },
      { id: 'i1', observationId: null, createdAt: '2026-11-01T00:00:01.000Z' },
    ])
  }
  expect((await send('GET', `${runs}/unknown`)).status).toBe(404)
})

test('lists the items of a run in pages', async () => {
  const { json } = await send('GET', `dataset-run-items?datasetId=${datasetId}&runName=a/run&limit=1&page=2`)
  expect(json.meta).toEqual({ page: 2, limit: 1, totalItems: 2, totalPages: 2 })
  expect(json.data).toMatchObject([{ id: 'i1' }])
  expect((await send('GET', `dataset-run-items?datasetId=${datasetId}&runName=unknown`)).status).toBe(404)
  expect((await send('GET', `dataset-run-items?datasetId=${datasetId}`)).status).toBe(400)
})

test('a run is deleted with its items, and other runs stay', async () => {
  const path = `${runs}/${encodeURIComponent('a/run')}`
  const deleted = await send('DELETE', path)
  expect([deleted.status, deleted.json]).toEqual([200, { message: 'Dataset run successfully deleted' }])
  expect((await opened.api.runItems()).map(({ id, deleted: gone, traceId }) => [id, gone, traceId]).sort()).toEqual([
    ['i1', true, 'trace-i1'],
    ['i2', true, 'trace-i2'],
  ])
  expect((await datasets.runs()).map(({ name }) => name)).toEqual(['second'])
  expect((await send('GET', path)).status).toBe(404)
  expect((await send('DELETE', path)).status).toBe(404)
})
