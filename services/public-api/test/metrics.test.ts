import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi } from './api.ts'
import { type ApiOnEngine, startOnEngine } from './on-engine.ts'

const path = '/api/public/v2/metrics'
const row = (id: string, more: object) => ({
  ...{ project_id: 'project-0', trace_id: 't', span_id: id, type: 'GENERATION', level: 'DEFAULT', environment: 'default' },
  ...{ start_time: '2026-11-01 00:00:00.000000', end_time: '2026-11-01 00:00:01.500000', event_ts: '2026-11-01 00:00:02.000000' },
  ...more,
})
const rows = [row('a', { name: 'x' }), row('b', { name: 'x' }), row('c', { name: 'y' }), row('d', { name: 'y', project_id: 'other' })]

let opened: ApiOnEngine
beforeAll(async () => {
  opened = await startOnEngine(columnStore =>
    columnStore.command(`INSERT INTO events_full FORMAT JSONEachRow ${rows.map(each => JSON.stringify(each)).join('\n')}`),
  )
})
afterAll(() => opened.close())

const ask = (query: unknown) => opened.api.send('GET', `${path}?query=${encodeURIComponent(JSON.stringify(query))}`)
const range = { fromTimestamp: '2026-11-01T00:00:00Z', toTimestamp: '2026-11-02T00:00:00Z' }
const counts = { view: 'observations', metrics: [{ measure: 'count', aggregation: 'count' }], dimensions: [{ field: 'name' }], ...range }

test('counts only the project’s own observations, by name', async () => {
  const { status, json } = await ask(counts)
  expect(status).toBe(200)
  const byName = (json.data as readonly { readonly name: string }[]).toSorted((a, b) => a.name.localeCompare(b.name))
  expect(byName).toEqual([
    { name: 'x', count_count: 2 },
    { name: 'y', count_count: 1 },
  ])
})

test.each([
  ['', 400],
  ['?query=%7B', 400],
  ['?query=%7B%7D', 400],
  [`?query=${encodeURIComponent(JSON.stringify({ ...counts, view: 'nothing' }))}`, 400],
])('%s is refused', async (query, status) => {
  const answer = await opened.api.send('GET', `${path}${query}`)
  expect([answer.status, answer.json.message]).toEqual([status, expect.any(String)])
})

test('legacy mode responds 404 before authentication', async () => {
  const env = {
    ...{ SVC_MIGRATION_V4_WRITE_MODE: 'legacy', SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR: 'dual_write' },
    SVC_MIGRATION_V4_ALLOW_PREVIEW_OPT_IN: 'false',
  }
  await using api = await startApi({ env })
  expect((await api.send('GET', path, { authorization: null })).status).toBe(404)
})
