import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiOnEngine, startOnEngine } from './on-engine.ts'

const span = (trace: string, id: string, more: object = {}) => ({
  ...{ project_id: 'project-0', trace_id: trace, span_id: id, name: `span ${id}`, type: 'SPAN', level: 'DEFAULT', environment: 'default' },
  ...{ start_time: '2026-11-01 00:00:00.000000', end_time: '2026-11-01 00:00:01.000000', event_ts: '2026-11-01 00:00:01.000000' },
  ...{ input: `{"of":"${id}"}`, ingestion_api_key: 'pk-secretive' },
  ...more,
})
const rows = [span('open', 'a', { public: true }), span('open', 'b', { parent_span_id: 'a' }), span('closed', 'c')]

let opened: ApiOnEngine
beforeAll(async () => {
  opened = await startOnEngine(columnStore =>
    columnStore.command(`INSERT INTO events_full FORMAT JSONEachRow ${rows.map(row => JSON.stringify(row)).join('\n')}`),
  )
})
afterAll(() => opened.close())

const get = (path: string) => opened.api.send('GET', `/api/ui/public-traces/${path}`, { authorization: null })

test('a public trace is read without credentials', async () => {
  const tree = await get('project-0/open/tree')
  expect([tree.status, tree.json.columns.ids, tree.json.columns.parents]).toEqual([200, ['a', 'b'], [-1, 0]])
  expect((await get('project-0/open/search?text=of%22:%22B')).json.matches).toMatchObject([{ id: 'b', field: 'input' }])
  const detail = await get('project-0/open/observations/b')
  expect(detail.json).toMatchObject({ id: 'b', input: '{"of":"b"}', apiKey: null })
  expect(detail.text).not.toContain('secretive')
  expect((await get('project-0/open/observations/b/input?offset=2&limit=2')).json).toMatchObject({ text: 'of', length: 10, next: 4 })
})

test.each(['project-0/closed', 'project-0/nothing', 'other/open'])('%s gets 404 with the same sentence', async trace => {
  for (const path of ['tree', 'search?text=a', 'observations/c', 'observations/c/input']) {
    const answer = await get(`${trace}/${path}`)
    expect([answer.status, answer.json.message]).toEqual([404, 'The trace does not exist in this project.'])
  }
})

test('invalid parameters get 400', async () => {
  expect((await get('project-0/open/search')).status).toBe(400)
  expect((await get('project-0/open/observations/b/name')).status).toBe(400)
  expect((await get('project-0/open/observations/b/input?limit=0')).status).toBe(400)
})
