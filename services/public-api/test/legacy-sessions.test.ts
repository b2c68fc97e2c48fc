// Tests the legacy reads of sessions on a real engine and PGlite (contract §20.5).
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenedDatasets, openDatasets } from './datasets.ts'
import { type ApiOnEngine, startOnEngine } from './on-engine.ts'

const at = (second: number) => `2026-11-01 00:00:${String(second).padStart(2, '0')}.000`
const trace = (id: string, session_id: string, created: number, environment: string) => ({
  ...{ project_id: 'project-0', id, session_id, environment, created_at: at(created) },
  ...{ timestamp: at(1), event_ts: at(59), output: `output of ${id}` },
})
const traces = [
  trace('a', 'session', 30, 'default'),
  trace('b', 'second', 50, 'prod'),
  trace('c', 'session', 40, 'prod'),
  trace('d', 'with-row', 45, 'prod'),
]

const row = (id: string, project_id: string, environment: string) => ({
  ...{ id, project_id, environment, bookmarked: false, public: false },
  ...{ created_at: new Date('2026-10-01T02:03:04.567Z'), updated_at: new Date('2026-10-02T00:00:00.000Z') },
})
const rows = [
  row('with-row', 'project-0', 'of-the-row'),
  row('only-row', 'project-0', 'of-the-row'),
  row('session', 'project-other', 'of-another-project'),
  row('row-of-other', 'project-other', 'of-another-project'),
]
const ofRow = { createdAt: '2026-10-01T02:03:04.567Z', projectId: 'project-0', environment: 'of-the-row' }
const second = { id: 'second', createdAt: '2026-11-01T00:00:50.000Z', projectId: 'project-0', environment: 'prod' }
const session = { id: 'session', createdAt: '2026-11-01T00:00:30.000Z', projectId: 'project-0', environment: 'default' }

let stores: OpenedDatasets
let opened: ApiOnEngine
beforeAll(async () => {
  stores = await openDatasets()
  await stores.store.db.insertInto('trace_sessions').values(rows).execute()
  const env = { SVC_MIGRATION_V4_WRITE_MODE: 'dual', SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR: 'dual_write' }
  const inserted = `INSERT INTO traces FORMAT JSONEachRow ${traces.map(each => JSON.stringify(each)).join('\n')}`
  opened = await startOnEngine(columnStore => columnStore.command(inserted), { env, relational: stores.store })
})
afterAll(async () => {
  await opened?.close()
  await stores?.[Symbol.asyncDispose]()
})

const get = (path: string) => opened.api.send('GET', `/api/public/sessions${path}`)
const ids = async (path: string) => (await get(path)).json.data.map(({ id }: { id: string }) => id)

test('the sessions of traces are listed, with time and environment of the row that v3 left or else of the first stored trace', async () => {
  const { json } = await get('')
  expect(json.meta).toEqual({ page: 1, limit: 50, totalItems: 3, totalPages: 1 })
  expect(json.data).toEqual([second, { id: 'with-row', ...ofRow }, session])
})

test.each([
  ['?environment=prod', ['second', 'with-row']],
  ['?environment=of-the-row', []],
  ['?toTimestamp=2026-11-01T00:00:50Z&limit=1', ['with-row']],
  ['?toTimestamp=2026-11-01T00:00:50Z&limit=1&page=2', ['session']],
  ['?fromTimestamp=2026-11-01T00:00:45Z', ['second', 'with-row']],
])('traces determine filters and pages: %s', async (query, expected) => {
  expect(await ids(query)).toEqual(expected)
})

test('a session without a row has its traces, oldest first, without their observations', async () => {
  const { json } = await get('/session')
  expect(json).toMatchObject({ ...session, traces: [{ id: 'a', output: 'output of a' }, { id: 'c' }] })
  expect(json.traces[0]).not.toHaveProperty('observations')
})

test('a session with a row has the time and environment of the row, also if no trace names it', async () => {
  expect((await get('/with-row')).json).toMatchObject({ id: 'with-row', ...ofRow, traces: [{ id: 'd' }] })
  const onlyRow = await get('/only-row')
  expect([onlyRow.status, onlyRow.json]).toEqual([200, { id: 'only-row', ...ofRow, traces: [] }])
})

test.each(['unknown', 'row-of-other'])('the project has no session %s', async id => {
  const { status, json } = await get(`/${id}`)
  expect([status, json.message]).toEqual([404, 'Session not found within authorized project'])
})
