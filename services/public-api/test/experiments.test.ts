// Tests experiments over HTTP. Also tests the documented way to delete an experiment: a client lists the experiment's items, and deletes
// the traces of these items in groups.
import { literal } from '@svc-server/column-store/literal'
import { deletableTables } from '@svc-server/deletions/tables'
import { tombstonesOf } from '@svc-server/deletions/tombstones'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi } from './api.ts'
import { type OpenedDatasets, openDatasets } from './datasets.ts'
import { type ApiOnEngine, startOnEngine } from './on-engine.ts'

const item = (at: number, more: object = {}) => ({
  ...{ project_id: 'project-0', trace_id: `trace-${at}`, span_id: `item-${at}`, type: 'SPAN', level: 'DEFAULT', environment: 'default' },
  ...{ start_time: `2026-11-01 00:00:0${at}.000000`, end_time: `2026-11-01 00:00:0${at}.500000`, event_ts: '2026-11-01 00:01:00.000000' },
  ...{ experiment_id: 'e', experiment_name: 'first', experiment_dataset_id: 'd', experiment_item_id: `i${at}` },
  ...{ experiment_item_root_span_id: `item-${at}`, input: `in ${at}` },
  ...more,
})
/** The large experiment has one trace more than a request can delete. Its items are a month older than the other items. */
const largeCount = 1_001
const largeTraces = Array.from({ length: largeCount }, (_, at) => `large-${String(at).padStart(4, '0')}`)
const ofLarge = (trace_id: string, at: number) =>
  item(0, {
    ...{ trace_id, span_id: trace_id, experiment_item_root_span_id: trace_id, experiment_id: 'large', experiment_name: 'second' },
    ...{ experiment_item_id: trace_id, start_time: `2026-10-01 00:00:00.${String(at).padStart(6, '0')}` },
  })
const rows = [item(1), item(2), item(3), item(4, { project_id: 'other', trace_id: 'foreign' }), ...largeTraces.map(ofLarge)]

let engine: ApiOnEngine
let datasets: OpenedDatasets
let api: TestApi
beforeAll(async () => {
  datasets = await openDatasets()
  engine = await startOnEngine(columnStore =>
    columnStore.command(`INSERT INTO events_full FORMAT JSONEachRow ${rows.map(row => JSON.stringify(row)).join('\n')}`),
  )
  api = await startApi({ columnStore: engine.columnStore, relational: datasets.store })
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  await engine.close()
  await datasets[Symbol.asyncDispose]()
})

const from = 'fromStartTime=2026-11-01T00:00:00Z'

test('an experiment of the project is returned with its items in groups', async () => {
  const { status, json } = await api.send('GET', `/api/public/experiments?${from}`)
  expect(status).toBe(200)
  expect(json.data).toEqual([expect.objectContaining({ id: 'e', name: 'first', datasetId: 'd', itemCount: 3 })])
  const items = await api.send('GET', `/api/public/experiment-items?${from}&experimentId=e&fields=core,io`)
  expect(items.json.data.map((each: { readonly traceId: string }) => each.traceId)).toEqual(['trace-3', 'trace-2', 'trace-1'])
  expect(items.json.data[0].input).toBe('in 3')
})

test.each(['', '?fromStartTime=x', `?${from}&limit=101`, `?${from}&scoreLimit=0`, `?${from}&fields=nothing`, `?${from}&cursor=x`])(
  'GET experiments%s gets 400',
  async query => {
    for (const path of ['experiments', 'experiment-items']) expect((await api.send('GET', `/api/public/${path}${query}`)).status).toBe(400)
  },
)

const fromOctober = 'fromStartTime=2026-10-01T00:00:00Z'

test.each([
  ['experiments', '', ['&name=first', '&id=e,large', '&datasetId=d', '&toStartTime=2026-12-01T00:00:00Z']],
  ['experiment-items', '&experimentId=large', ['', '&experimentId=e', '&experimentId=large&experimentName=second', '&datasetId=d']],
])('a cursor of GET %s is valid only with the filters of its list', async (path, filters, others) => {
  const { json } = await api.send('GET', `/api/public/${path}?${fromOctober}${filters}&limit=1`)
  const next = `&limit=1&cursor=${encodeURIComponent(json.meta.cursor as string)}`
  const page = await api.send('GET', `/api/public/${path}?${fromOctober}${filters}${next}`)
  expect([page.status, page.json.data.length]).toEqual([200, 1])
  const otherList = path === 'experiments' ? 'experiment-items' : 'experiments'
  const refused = [
    ...others.map(other => `${path}?${fromOctober}${other}${next}`),
    `${path}?${from}${filters}${next}`,
    `${otherList}?${fromOctober}${next}`,
  ]
  for (const each of refused) {
    const { status, text } = await api.send('GET', `/api/public/${each}`)
    expect([each, status, text]).toEqual([each, 400, expect.stringMatching(/cursor/i)])
  }
})

test('an experiment is deleted as documented: its items page by page, their traces in chunks', async () => {
  const traceIds = new Set<string>()
  let pages = 0
  let cursor: string | undefined
  do {
    const next: string = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const { json } = await api.send('GET', `/api/public/experiment-items?${fromOctober}&experimentId=large&limit=100${next}`)
    for (const each of json.data as readonly { readonly traceId: string }[]) traceIds.add(each.traceId)
    cursor = json.meta.cursor as string | undefined
    pages++
  } while (cursor)
  expect([pages, [...traceIds].sort()]).toEqual([11, largeTraces])
  const all = [...traceIds]
  for (let at = 0; at < all.length; at += 1_000) {
    const deleted = await api.send('DELETE', '/api/public/traces', { body: { traceIds: all.slice(at, at + 1_000) } })
    expect([deleted.status, deleted.json.message]).toEqual([200, 'Traces deleted successfully'])
  }
  const commands = (await api.commands()).filter(command => command !== null)
  expect(commands.map(({ traceId }) => traceId).sort()).toEqual(largeTraces)
  // A writer would insert tombstones for the commands on the log. No writer runs here, so the test inserts these tombstones.
  const pairs = commands.map(({ projectId, traceId }) => `(${literal(projectId)}, ${literal(traceId!)})`)
  const events = deletableTables.find(({ table }) => table === 'events_full')!
  await engine.columnStore.command(tombstonesOf(events, `(project_id, trace_id) IN (${pairs.join(', ')})`)!)
  const items = await api.send('GET', `/api/public/experiment-items?${fromOctober}&experimentId=large`)
  expect([items.status, items.json]).toEqual([200, { data: [], meta: {} }])
  const left = await api.send('GET', `/api/public/experiments?${fromOctober}`)
  expect(left.json.data).toEqual([expect.objectContaining({ id: 'e', itemCount: 3 })])
})
